import { types } from '../dns/codes.ts'
import { lowerCaseName, type Name } from '../dns/name.ts'
import { denialOf } from '../dnssec/denial.ts'
import { namesBelow, SigningPlan } from '../dnssec/signing-plan.ts'
import type { SigningTerms } from '../dnssec/signing-terms.ts'
import type { Edit } from '../zone/edits.ts'
import type { TableZone } from '../zone/table/table-zone.ts'
import { inGroups } from './zone-editor.ts'

/** Splits edits of a zone into parts of a number of owners, each of which leaves a servable zone: all edits of an owner are in
 *  one part, additions precede removals, and the SOA is in the last part. There is always at least one part. */
export function* wholeParts(
  edits: readonly Edit[],
  ownersPerPart: number,
): Generator<readonly Edit[]> {
  if (edits.length <= ownersPerPart) {
    yield edits
    return
  }
  const byOwner = Map.groupBy(edits, ({ owner }) => lowerCaseName(owner))
  const byRank = Map.groupBy(byOwner.values(), rankOf)
  const inOrder = [0, 1, 2].flatMap(rank => byRank.get(rank) ?? [])
  for (const ofOwners of inGroups(inOrder, ownersPerPart)) yield ofOwners.flat()
}

/** Edits, and what is planned for them (`signedEdits`). */
type SignedPart = {
  readonly part: readonly Edit[]
  readonly names?: Iterable<Name>
  readonly uncovered?: ReadonlySet<Name>
}

/** Splits edits into parts, each of which leaves a completely signed zone. Names hidden by a cut are signed before the cut is
 *  removed. With NSEC, and where a cut has an NSEC3, the order of edits ensures that; a cut that was left out of the chain
 *  enters it with its own edits, before the names below it. */
export function* signedParts(
  served: TableZone,
  edits: readonly Edit[],
  {
    terms,
    names = [],
    ownersPerPart,
  }: {
    readonly terms: SigningTerms
    readonly names?: Iterable<Name> | undefined
    readonly ownersPerPart: number
  },
): Generator<SignedPart> {
  for (const part of wholeParts(edits, ownersPerPart)) {
    if (denialOf(served) === 'NSEC3_OPT_OUT') {
      const tops = new SigningPlan(served, part, terms).uncovered()
      const uncovered = new Set(tops)
      for (const below of inGroups(namesBelow(served, tops), ownersPerPart)) {
        yield { part: [], names: below, uncovered }
      }
    }
    yield { part, names }
  }
}

/** The edits of an owner by when they are made. */
function rankOf(edits: readonly Edit[]): number {
  if (edits.some(({ type }) => type === types.SOA)) return 2
  return edits.some(({ rrset }) => rrset !== undefined) ? 0 : 1
}
