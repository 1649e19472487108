/** What every stored row has. Times are microseconds since the Unix epoch; Date and text only at the API. */
export type Stamped = {
  readonly id: string
  /** Counts the writes of this row, from 1. */
  readonly version: number
  readonly createdAt: number
  /** Null until the first change. */
  readonly updatedAt: number | null
}

/** A row as one of its writes left it. */
export type RowVersion = Pick<Stamped, 'id' | 'version'>
