import type { Name } from '../dns/name.ts'
import type { Edit } from '../zone/edits.ts'
import type { TableZone } from '../zone/table/table-zone.ts'
import type { SigningBatch } from './sign-batch.ts'
import { editsOf } from './signed-edits.ts'
import { type PlannedName, SigningPlan, type ToBeSigned } from './signing-plan.ts'
import type { SigningTerms } from './signing-terms.ts'

/** Signatures that are made together. */
const batchSignatures = 256
/** Batches in progress: while one is signed, others are signed or prepared. */
const maxBatches = 3

type WholeZoneOptions = {
  /** Signs a large batch elsewhere. */
  readonly signBatch: (batch: SigningBatch) => Promise<readonly Uint8Array[]>
  readonly put: (owner: Name, edits: readonly Edit[]) => void
  /** Called after each name, and before signatures are put; false ends the signing. */
  readonly goOn: () => boolean | Promise<boolean>
}

/** Signs all of a zone that has no NSEC or NSEC3 and that nothing else changes; returns whether it was completed. Ends of
 *  signatures are spread. */
export async function signWholeZone(
  zone: TableZone,
  terms: SigningTerms,
  { signBatch, put, goOn }: WholeZoneOptions,
): Promise<boolean> {
  const signers = [...new Set([...terms.keySigners, ...terms.zoneSigners])]
  const plan = new SigningPlan(zone, [], terms)
  const underWay: Promise<boolean>[] = []
  let batch: { planned: PlannedName; parts: ToBeSigned[] }[] = []
  let count = 0
  const sign = async (own: typeof batch) => {
    const all = own.flatMap(({ parts }) => parts)
    const made = await signBatch({
      privateKeys: signers.map(({ pkcs8 }) => pkcs8),
      data: all.map(({ data }) => data),
      by: all.map(({ signer }) => signers.indexOf(signer)),
    })
    if (!(await goOn())) return false
    let at = 0
    for (const { planned, parts } of own) {
      put(planned.owner, editsOf(planned, parts, made.slice(at, at + parts.length)))
      at += parts.length
    }
    return true
  }
  const begin = () => {
    const signed = sign(batch)
    // Its error is handled when its turn comes.
    signed.catch(() => undefined)
    underWay.push(signed)
    batch = []
    count = 0
  }
  for (const planned of plan.names(zone.names())) {
    if (!(await goOn())) return false
    if (planned === undefined) continue
    const parts = plan.toBeSigned(planned, { isSpread: true })
    batch.push({ planned, parts })
    count += parts.length
    if (count < batchSignatures) continue
    begin()
    if (underWay.length === maxBatches && (await underWay.shift()) === false) return false
  }
  begin()
  return (await Promise.all(underWay)).every(isDone => isDone)
}
