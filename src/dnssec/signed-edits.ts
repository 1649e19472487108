import { types } from '../dns/codes.ts'
import type { Name } from '../dns/name.ts'
import type { Edit } from '../zone/edits.ts'
import { soaNumbers } from '../zone/soa.ts'
import type { TableZone } from '../zone/table/table-zone.ts'
import type { ZoneKey } from './key.ts'
import { signatureTimes } from './policy.ts'
import { type PlannedName, SigningPlan } from './signing-plan.ts'
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
  const maker = new SignatureMaker(zone, terms)
  for (const planned of new SigningPlan(zone, edits, terms, uncovered).names(names)) {
    if (planned === undefined) yield undefined
    else {
      const parts = maker.toBeSigned(planned)
      const made = parts.map(({ signer, data }) => signer.sign(data))
      yield* editsOf(planned, parts, made)
    }
  }
}

/** A signature to be made of one RRset. */
export type ToBeSigned = {
  readonly signer: ZoneKey
  readonly head: Buffer
  readonly data: Buffer
}

/** Makes the planned RRSIG. */
export class SignatureMaker {
  readonly #apex: Name
  readonly #terms: SigningTerms
  readonly #expireSeconds: number
  /** Whether ends of signatures are spread. */
  readonly #isSpread: boolean

  constructor(zone: TableZone, terms: SigningTerms, { isSpread = false } = {}) {
    this.#apex = zone.apex
    this.#terms = terms
    this.#isSpread = isSpread
    const soa = zone.findRrset(zone.apex, types.SOA)
    this.#expireSeconds = soa === undefined ? 0 : soaNumbers(soa).expireSeconds
  }

  toBeSigned({ owner, toSign }: PlannedName): ToBeSigned[] {
    const { nowSeconds } = this.#terms
    const spread = this.#isSpread ? owner : undefined
    const times = signatureTimes(nowSeconds, this.#expireSeconds, spread)
    return toSign.map(({ rrset, signer }) => {
      return { signer, ...signer.toBeSigned(this.#apex, { owner, rrset, times }) }
    })
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
