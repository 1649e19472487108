/** The fields of every stored row. Times are microseconds since the Unix epoch; Date and text are used only in the API. */
export type Stamped = {
  readonly id: string
  /** The number of writes of this row, from 1. */
  readonly version: number
  readonly createdAt: number
  /** Null until the first change. */
  readonly updatedAt: number | null
}

/** One version of a row. */
export type RowVersion = Pick<Stamped, 'id' | 'version'>
