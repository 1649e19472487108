import { parseName } from '../dns/name.ts'
import { typeCode } from '../dns/rdata/index.ts'
import { recordsetUnpacker } from '../model/packed-recordset.ts'
import type { Recordset } from '../model/recordset.ts'
import { rrsetOf } from '../model/recordset-rrset.ts'
import { type RecordsetRun, recordsetsOf } from '../model/recordset-run.ts'
import type { Zone } from '../model/zone.ts'
import type { Edit } from '../zone/edits.ts'
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
    const { rrset, problem } = rrsetOf(recordset, zone)
    if (problem === undefined) this.#problems.forget(zone.id, recordset.id)
    else this.#problems.report(zone, recordset.id, { problem })
    if (rrset === undefined) return editsWithout(recordset)
    return [{ recordsetId: recordset.id, owner: rrset.owner, type: rrset.type, rrset }]
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
      if (change.after !== undefined) yield* this.of(change.after, zone)
    }
    for (const run of added) {
      for (const record of recordsetsOf(run)) yield* this.of(recordsetUnpacker.unpack(record), zone)
    }
  }
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
