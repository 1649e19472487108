import type { Stamped } from '../../model/stamped.ts'
import { octetsOf, PageRoom, pageOctets } from './page-room.ts'

/** The requested rows of a list. The API maps attribute names; here they are functions. */
export type PageRequest<R> = {
  readonly limit: number
  /** Id of the last row of the page before. */
  readonly marker: string | undefined
  readonly isDescending: boolean
  /** Undefined: by creation. Null comes first. */
  readonly sortBy: ((row: R) => string | number | null) | undefined
  /** Whether `sortBy` is by name, an order that some lists have an index for. */
  readonly isByName?: boolean
  /** Undefined: all rows, whose number is known without reading them. */
  readonly matches: ((row: R) => boolean) | undefined
}

export type Page<R> = {
  readonly rows: readonly R[]
  /** Of all pages together, without rows that are not counted. */
  readonly totalCount: number
  /** Whether it has all the rows or octets that a page may have, so that there may be another one. */
  readonly isFull: boolean
}

type Candidate<R> = Position & { readonly row: R }

/** Selects a page out of rows that come in any order. Holds at most two pages and reads the sort attribute of each row once,
 *  so the first page of a long list costs no more than the last. */
export class PageSelection<R extends Stamped> {
  readonly #request: PageRequest<R>
  readonly #isCounted: (row: R) => boolean
  readonly #compare: (one: Position, other: Position) => number
  readonly #after: Position | undefined
  /** The best so far, unordered after the first page. */
  #candidates: Candidate<R>[] = []
  #candidateOctets = 0
  /** Rows after it no longer get into the page. */
  #worst: Position | undefined
  #totalCount = 0

  constructor(
    request: PageRequest<R>,
    {
      after,
      isCounted = () => true,
    }: { readonly after: R | undefined; readonly isCounted?: ((row: R) => boolean) | undefined },
  ) {
    this.#request = request
    this.#isCounted = isCounted
    const sign = request.isDescending ? -1 : 1
    this.#compare = (one, other) => sign * comparePositions(one, other)
    this.#after = after && positionOf(after, request)
  }

  /** Counts a matching row, and takes it unless the page is full of better ones; returns whether a row that sorts after it
   *  could still be taken. */
  add(row: R): boolean {
    const { matches = () => true } = this.#request
    if (!matches(row)) return true
    if (this.#isCounted(row)) this.#totalCount += 1
    const position = positionOf(row, this.#request)
    if (this.#after !== undefined && this.#compare(position, this.#after) <= 0) return true
    if (this.#worst !== undefined && this.#compare(position, this.#worst) > 0) return false
    this.#candidates.push({ ...position, row })
    this.#candidateOctets += octetsOf(row)
    const isLong = this.#candidateOctets >= 2 * pageOctets
    if (isLong || this.#candidates.length === 2 * this.#request.limit) this.#settle()
    return true
  }

  /** The page out of all rows added. */
  get page(): Page<R> {
    const isFull = this.#settle()
    const rows = this.#candidates.map(({ row }) => row)
    return { rows, totalCount: this.#totalCount, isFull }
  }

  /** Leaves the best candidates that have room on the page; returns whether it is full. */
  #settle(): boolean {
    const room = new PageRoom(this.#request.limit)
    const sorted = this.#candidates.sort(this.#compare)
    const lastIndex = sorted.findIndex(({ row }) => room.take(row))
    if (lastIndex >= 0) {
      this.#candidates = sorted.slice(0, lastIndex + 1)
      this.#worst = this.#candidates.at(-1)
    }
    this.#candidateOctets = room.takenOctets
    return room.isFull
  }
}

/** The position of a row in a list: by the sort attribute, then by id, so that the order is total and a marker has exactly
 *  one position. */
type Position = { readonly value: string | number | null; readonly id: string }

function positionOf<R extends Stamped>(
  row: R,
  { sortBy }: Pick<PageRequest<R>, 'sortBy'>,
): Position {
  return { value: sortBy === undefined ? row.createdAt : sortBy(row), id: row.id }
}

function comparePositions(one: Position, other: Position): number {
  return compareValues(one.value, other.value) || compareValues(one.id, other.id)
}

/** Ascending; null comes first. */
export function compareValues(one: string | number | null, other: string | number | null): number {
  if (one === other) return 0
  if (one === null) return -1
  if (other === null) return 1
  return one < other ? -1 : 1
}
