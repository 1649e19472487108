import { types } from '../dns/codes.ts'
import type { Name } from '../dns/name.ts'
import type { Edit } from '../zone/edits.ts'
import type { TableZone } from '../zone/table/table-zone.ts'
import { type PlannedName, SigningPlan, type ToBeSigned } from './signing-plan.ts'
import type { SigningTerms } from './signing-terms.ts'

/** The edits of a signed zone, with the signatures and NSEC that they need. Yields undefined where other work may run.
 *  @param names further names whose signatures are checked
 *  @param uncovered cuts that are treated as gone, since they soon will be */
export function* signedEdits(
  zone: TableZone,
  edits: Iterable<Edit>,
  terms: SigningTerms,
  { names = [], uncovered }: { names?: Iterable<Name>; uncovered?: ReadonlySet<Name> } = {},
): Generator<Edit | undefined> {
  const plan = new SigningPlan(zone, edits, terms, uncovered)
  for (const planned of plan.names(names)) {
    if (planned === undefined) yield undefined
    else {
      const parts = plan.toBeSigned(planned)
      const made = parts.map(({ signer, data }) => signer.sign(data))
      yield* editsOf(planned, parts, made)
    }
  }
}

/** The edits of a planned name with its RRSIG.
 *  @param made the signatures of the parts, in their order */
export function editsOf(
  { owner, edits, kept, isResigned }: PlannedName,
  parts: readonly ToBeSigned[],
  made: readonly Uint8Array[],
): Edit[] {
  if (!isResigned) return [...edits]
  const rdatas = [...kept, ...parts.map(({ head }, i) => joined(head, made[i] as Uint8Array))]
  const type = types.RRSIG
  const rrset = rdatas.length === 0 ? undefined : { owner, type, ttlSeconds: 0, rdatas }
  return [...edits, { recordsetId: '', owner, type, rrset }]
}

function joined(head: Uint8Array, signature: Uint8Array): Uint8Array {
  return new Uint8Array(Buffer.concat([head, signature]))
}
