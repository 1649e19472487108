import type { Name } from '../dns/name.ts'
import { nextOwner } from '../zone/edits.ts'
import type { TableZone } from '../zone/table/table-zone.ts'
import type { ChainKind } from './denial.ts'

type Coming = { readonly key: string; readonly owner: Name }

/** A chain of NSEC or NSEC3 in a zone of the table, as it will be after some owners have entered it and others have
 *  left. Owners are in lower case. The zone must not change meanwhile, unless it has no chain yet. */
export class ChainPlan {
  readonly #zone: TableZone
  readonly #kind: ChainKind
  /** Whether there are links already. */
  readonly #isPresent: boolean
  #coming: Coming[] = []
  readonly #going = new Set<Name>()

  constructor(zone: TableZone, kind: ChainKind, isPresent: boolean) {
    this.#zone = zone
    this.#kind = kind
    this.#isPresent = isPresent
  }

  /** Sets whether an owner has a link afterwards. */
  note(owner: Name, belongs: boolean): void {
    const isLinked = this.#linkAt(owner) !== undefined
    if (belongs && !isLinked) this.#coming.push({ key: this.#kind.keyOf(owner), owner })
    else if (!belongs && isLinked) this.#going.add(owner)
  }

  /** To be called when all owners are noted. Yields the owners whose next owner may change, except those that are
   *  entering. */
  *relinked(): Generator<Name> {
    this.#coming.sort((one, other) => (one.key < other.key ? -1 : 1))
    if (!this.#isPresent) return
    for (const owner of [...this.#coming.map(coming => coming.owner), ...this.#going]) {
      const before = this.#linkedBefore(owner)
      if (before !== undefined) yield before
    }
  }

  /** The next owner in the chain; after the last, the first. */
  after(owner: Name): Name {
    const key = this.#kind.keyOf(owner)
    const coming = this.#coming[this.#firstComingBehind(key)] ?? this.#coming[0]
    const linked = this.#linkedAfter(owner)
    if (coming === undefined || linked === undefined) return coming?.owner ?? linked ?? owner
    const linkedKey = this.#kind.keyOf(linked)
    const isComingWrapped = coming.key <= key
    const isLinkedWrapped = linkedKey <= key
    if (isComingWrapped !== isLinkedWrapped) return isComingWrapped ? linked : coming.owner
    return coming.key < linkedKey ? coming.owner : linked
  }

  /** The nearest previous owner that has a link and keeps it. Owners entering in between are planned anyway. */
  #linkedBefore(owner: Name): Name | undefined {
    let before = this.#zone.linkedBefore(owner, this.#kind.type)
    while (before !== undefined && before !== owner && this.#going.has(before)) {
      before = this.#zone.linkedBefore(before, this.#kind.type)
    }
    return before
  }

  /** The next owner that has a link and keeps it. */
  #linkedAfter(owner: Name): Name | undefined {
    if (!this.#isPresent) return undefined
    const first = this.#linkAt(owner) === undefined ? this.#linkedBefore(owner) : owner
    let at = first
    do {
      const link = at === undefined ? undefined : this.#linkAt(at)
      at = link && nextOwner(at as Name, link)
    } while (at !== undefined && at !== first && this.#going.has(at))
    return at
  }

  #linkAt(owner: Name) {
    return this.#isPresent ? this.#zone.findRrset(owner, this.#kind.type) : undefined
  }

  /** The index of the first entering owner behind a key. */
  #firstComingBehind(key: string): number {
    let low = 0
    let high = this.#coming.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#coming[middle]?.key ?? '') <= key) low = middle + 1
      else high = middle
    }
    return low
  }
}
