import type { Actor } from '../actor.ts'
import { recordsetUnpacker } from '../model/packed-recordset.ts'
import type { Recordset } from '../model/recordset.ts'
import { type PlacedRecordset, type RecordsetRun, recordsetsOf } from '../model/recordset-run.ts'
import type { Change, Commit } from './store.ts'

/** The change of a recordset that is packed: its rows are built on access. */
export class PackedChange {
  readonly collection = 'recordsets'
  readonly packedBefore: PlacedRecordset | undefined
  readonly packedAfter: PlacedRecordset | undefined

  constructor(packedBefore?: PlacedRecordset, packedAfter?: PlacedRecordset) {
    this.packedBefore = packedBefore
    this.packedAfter = packedAfter
  }

  get id(): string {
    const record = this.packedAfter ?? this.packedBefore
    return record === undefined ? '' : recordsetUnpacker.idOf(record)
  }

  get before(): Recordset | undefined {
    return this.packedBefore && recordsetUnpacker.unpack(this.packedBefore)
  }

  get after(): Recordset | undefined {
    return this.packedAfter && recordsetUnpacker.unpack(this.packedAfter)
  }
}

/** The changes that a run of new recordsets stands for. */
export function changesOfRun(run: RecordsetRun): readonly PackedChange[] {
  return Array.from(recordsetsOf(run), record => new PackedChange(undefined, record))
}

/** A commit of changes and of runs of new recordsets. */
export class PackedCommit implements Commit {
  readonly lsn: number
  readonly atMicros: number
  readonly rowChanges: readonly Change[]
  readonly added: readonly RecordsetRun[]
  readonly actor: Actor | undefined
  readonly facts: unknown
  #changes: readonly Change[] | undefined

  constructor(parts: Omit<Commit, 'changes'>) {
    this.lsn = parts.lsn
    this.atMicros = parts.atMicros
    this.rowChanges = parts.rowChanges
    this.added = parts.added
    this.actor = parts.actor
    this.facts = parts.facts
  }

  get changes(): readonly Change[] {
    if (this.added.length === 0) return this.rowChanges
    this.#changes ??= [...this.rowChanges, ...this.added.flatMap(changesOfRun)]
    return this.#changes
  }
}
