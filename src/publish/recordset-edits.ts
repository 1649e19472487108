import { nameFromOctets, parseName } from '../dns/name.ts'
import { typeCode } from '../dns/rdata/index.ts'
import { defaultTtlSeconds } from '../model/limits.ts'
import { type PackedRecordset, recordsetUnpacker } from '../model/packed-recordset.ts'
import type { Recordset } from '../model/recordset.ts'
import { rrsetOf } from '../model/recordset-rrset.ts'
import { type RecordsetRun, recordsetsOf } from '../model/recordset-run.ts'
import type { Zone } from '../model/zone.ts'
import type { Edit } from '../zone/edits.ts'
import { rrsetOfOctets } from '../zone/rrset-octets.ts'
import type { PublishProblems } from './publish-problems.ts'
import type { RecordsetChanges } from './zone-changes.ts'

/** Computes the edits that turn a served zone into what is stored. Recordsets that cannot be served, or not entirely, are
 *  reported on the way. */
export class RecordsetEdits {
  readonly #problems: PublishProblems

  constructor(problems: PublishProblems) {
    this.#problems = problems
  }

  /** The edits that bring a recordset's present state; none if its name or type cannot be read. */
  of(recordset: Recordset, zone: Zone): readonly Edit[] {
    return this.#made(zone, recordset.id, rrsetOf(recordset, zone)) ?? editsWithout(recordset)
  }

  /** As `of`: its texts are neither made nor parsed. */
  ofPacked(
    record: PackedRecordset,
    zone: Zone,
    id = recordsetUnpacker.idOf(record),
  ): readonly Edit[] {
    const made = this.#made(zone, id, rrsetOfPacked(record, zone))
    return made ?? editsWithout(recordsetUnpacker.unpack(record))
  }

  /** Removals come first: another recordset may have taken the place of a removed one.
   *  @param added new ones beside these changes */
  *forChanges(
    zone: Zone,
    recordsets: RecordsetChanges,
    added: readonly RecordsetRun[] = [],
  ): Generator<Edit> {
    for (const { id, before, after } of recordsets) {
      if (after !== undefined || before === undefined) continue
      this.#problems.forget(zone.id, id)
      yield* editsWithout(before)
    }
    for (const change of recordsets) {
      if (change.packedAfter !== undefined)
        yield* this.ofPacked(change.packedAfter, zone, change.id)
      else if (change.after !== undefined) yield* this.of(change.after, zone)
    }
    for (const run of added) {
      for (const record of recordsetsOf(run)) yield* this.ofPacked(record, zone)
    }
  }

  /** Undefined without an RRset. */
  #made(
    zone: Zone,
    recordsetId: string,
    { rrset, problem }: ReturnType<typeof rrsetOf>,
  ): readonly Edit[] | undefined {
    if (problem === undefined) this.#problems.forget(zone.id, recordsetId)
    else this.#problems.report(zone, recordsetId, { problem })
    return rrset && [{ recordsetId, owner: rrset.owner, type: rrset.type, rrset }]
  }
}

/** As the `rrsetOf` of recordsets. */
export function rrsetOfPacked(
  record: PackedRecordset,
  zone: Pick<Zone, 'ttlSeconds'>,
): ReturnType<typeof rrsetOf> {
  const rrset = recordsetUnpacker.rrsetOf(record, zone.ttlSeconds ?? defaultTtlSeconds)
  if (rrset === undefined) return rrsetOf(recordsetUnpacker.unpack(record), zone)
  const owner = nameFromOctets(rrset.octets, rrset.ownerAt)
  return { rrset: { ...rrsetOfOctets(rrset), owner }, problem: undefined }
}

function editsWithout({ id, name, type: mnemonic }: Recordset): readonly Edit[] {
  const type = typeCode(mnemonic)
  if (type === undefined) return []
  try {
    return [{ recordsetId: id, owner: parseName(name), type, rrset: undefined }]
  } catch {
    // A recordset without a readable name was never served.
    return []
  }
}
