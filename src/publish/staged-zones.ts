import { types } from '../dns/codes.ts'
import { parseName } from '../dns/name.ts'
import { parseRdata } from '../dns/rdata/index.ts'
import type { PackedRecordset } from '../model/packed-recordset.ts'
import { type RecordsetRun, recordsetAt } from '../model/recordset-run.ts'
import type { Zone } from '../model/zone.ts'
import type { Steps } from '../time-slice.ts'
import type { Edit } from '../zone/edits.ts'
import type { TableZone } from '../zone/table/table-zone.ts'
import type { ZoneTable } from '../zone/table/zone-table.ts'
import type { TableReclaim } from './table-reclaim.ts'
import { editSteps, type ZoneEditor } from './zone-editor.ts'

/** Recordsets processed between two checks whether other work should run. */
const recordsetsPerStep = 64

/** A zone that no target serves yet. */
type StagedZone = { readonly tableZone: TableZone; hasSoa: boolean }

/** Zones that are filled in the table before any query is answered from them: new ones, and the first copy of a SECONDARY zone,
 *  which is committed in parts so that its last commit has little left to do. */
export class StagedZones {
  readonly #table: ZoneTable
  readonly #reclaim: TableReclaim
  readonly #editor: ZoneEditor
  readonly #byId = new Map<string, StagedZone>()

  constructor(table: ZoneTable, reclaim: TableReclaim, editor: ZoneEditor) {
    this.#table = table
    this.#reclaim = reclaim
    this.#editor = editor
  }

  get({ id }: Zone): StagedZone | undefined {
    return this.#byId.get(id)
  }

  begin(zone: Zone): StagedZone {
    const staged = { tableZone: emptyZone(this.#table, zone), hasSoa: false }
    this.#byId.set(zone.id, staged)
    return staged
  }

  /** Makes edits, in any order. */
  edit(zone: Zone, staged: StagedZone, edits: Iterable<Edit>): Steps<void> {
    return this.#inSteps(zone, staged, edits, edit => {
      const isDone = this.#editor.edit(zone, staged.tableZone, edit)
      if (isDone && edit.type === types.SOA && edit.rrset !== undefined) staged.hasSoa = true
    })
  }

  /** Puts recordsets as they are stored, in any order. */
  fill(
    zone: Zone,
    staged: StagedZone,
    records: Iterable<PackedRecordset>,
    isWanted: (record: PackedRecordset) => boolean = () => true,
  ): Steps<void> {
    return this.#inSteps(zone, staged, records, record => {
      if (isWanted(record)) this.put(zone, staged, record)
    })
  }

  /** Puts the recordsets of a run, in any order. */
  *fillRun(zone: Zone, staged: StagedZone, run: RecordsetRun): Steps<void> {
    const record = { ...recordsetAt(run, 0) }
    for (let at = 0, count = 1; at < run.length; at += 1 + (run[at] as number), count += 1) {
      record.at = at + 1
      this.put(zone, staged, record)
      if (count % recordsetsPerStep !== 0) continue
      yield
      if (this.#byId.get(zone.id) !== staged) return
    }
  }

  put(zone: Zone, staged: StagedZone, record: PackedRecordset): void {
    const type = this.#editor.putStored(zone, staged.tableZone, record)
    if (type === types.SOA) staged.hasSoa = true
  }

  #inSteps<T>(
    zone: Zone,
    staged: StagedZone,
    items: Iterable<T>,
    make: (item: T) => void,
  ): Steps<void> {
    return editSteps(items, { isOver: () => this.#byId.get(zone.id) !== staged, make })
  }

  /** Ends the staging of a zone; if it is served, it stays. */
  end({ id }: Zone): void {
    const staged = this.#byId.get(id)
    if (staged === undefined) return
    this.#byId.delete(id)
    this.#table.discard(staged.tableZone)
    this.#reclaim.begin()
  }
}

/** Creates a zone of the table that is not served yet. */
export function emptyZone(table: ZoneTable, { name }: Zone): TableZone {
  return table.createZone({ ...placeholderSoa, owner: parseName(name) })
}

/** Takes the place of the zone's SOA until its own replaces it. */
const placeholderSoa = {
  type: types.SOA,
  ttlSeconds: 0,
  rdatas: [parseRdata(types.SOA, '. . 0 0 0 0 0')],
}
