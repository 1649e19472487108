import { types } from '../dns/codes.ts'
import { lowerCaseName, type Name } from '../dns/name.ts'
import type { Edit } from '../zone/edits.ts'

/** Edits of a zone in parts of so many owners, each of which leaves a zone that can be served: what an owner comes to is in
 *  one part, what is new comes before what is gone, and the SOA is in the last one. There is always one part. */
export function* wholeParts(
  edits: readonly Edit[],
  ownersPerPart: number,
): Generator<readonly Edit[]> {
  if (edits.length <= ownersPerPart) {
    yield edits
    return
  }
  const byOwner = Map.groupBy(edits, ({ owner }) => lowerCaseName(owner))
  let part: Edit[] = []
  let ownerCount = 0
  for (const owner of inOrder(byOwner)) {
    if (ownerCount === ownersPerPart) {
      yield part
      part = []
      ownerCount = 0
    }
    for (const edit of byOwner.get(owner) ?? []) part.push(edit)
    ownerCount += 1
  }
  yield part
}

function* inOrder(byOwner: ReadonlyMap<Name, readonly Edit[]>): Generator<Name> {
  const ranks = new Map([...byOwner].map(([owner, edits]) => [owner, rankOf(edits)]))
  for (const rank of [0, 1, 2]) {
    for (const [owner, its] of ranks) if (its === rank) yield owner
  }
}

function rankOf(edits: readonly Edit[]): number {
  if (edits.some(({ type }) => type === types.SOA)) return 2
  return edits.some(({ rrset }) => rrset !== undefined) ? 0 : 1
}
