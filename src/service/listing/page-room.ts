import type { Stamped } from '../../model/stamped.ts'

/** Of the long values of a page: the thousand recordsets of the longest one may have 2 kB each. */
export const pageOctets = 2 * 1024 * 1024

/** What may be long in a row: the values of a recordset, the attributes of a zone. */
type LongRow = Stamped & {
  readonly records?: readonly string[]
  readonly attributes?: Readonly<Record<string, string>>
}

/** The room of a page: for some rows, and for fewer of them where their values are long. A page has at least one. */
export class PageRoom {
  readonly #maxOctets: number
  #rowsLeft: number
  takenOctets = 0

  constructor(maxRows: number, maxOctets = pageOctets) {
    this.#rowsLeft = maxRows
    this.#maxOctets = maxOctets
  }

  /** Takes a row into the page, which must not be full; returns whether it is full now. */
  take(row: Stamped): boolean {
    this.#rowsLeft -= 1
    this.takenOctets += octetsOf(row)
    return this.isFull
  }

  get isFull(): boolean {
    return this.#rowsLeft === 0 || this.takenOctets >= this.#maxOctets
  }
}

/** Octets of the values that may be long. */
export function octetsOf({ records, attributes }: LongRow): number {
  const values = records ?? (attributes === undefined ? [] : Object.values(attributes))
  return values.reduce((sum, { length }) => sum + length, 0)
}
