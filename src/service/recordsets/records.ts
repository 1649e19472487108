import type { Caller } from '../../identity/caller.ts'
import { definedOf } from '../../model/changes.ts'
import { requireValid } from '../../model/field-rules.ts'
import {
  newFieldErrors,
  type RecordDraft,
  type RecordPatch,
  recordDraftErrors,
  recordDraftOf,
} from '../../model/record-draft.ts'
import type { Zone } from '../../model/zone.ts'
import type { Store, StoreReader, Transaction } from '../../store/store.ts'
import { requireMarker } from '../listing/listing.ts'
import { octetsOf } from '../listing/page-room.ts'
import { rowPages, stepOctets } from '../listing/row-pages.ts'
import {
  getPrimaryZone,
  getWritableRecordset,
  getWritableZone,
  recordsetProject,
} from '../rules/zone-access.ts'
import { advanceZone } from '../rules/zone-rows.ts'
import {
  addRecord,
  type FoundRecord,
  findRecord,
  getRecord,
  moveRecord,
  recordsOf,
  removeRecord,
  replaceRecord,
} from './record-rows.ts'
import { type RecordsetChange, requireNotManaged } from './recordset-rows.ts'

type RecordsOptions = {
  readonly store: Store
  /** The minimum TTL; none when not given. */
  readonly minTtlSeconds?: number
}

/** A record, its zone and the project it belongs to. */
export type RecordOfZone = FoundRecord & {
  readonly zone: Zone
  readonly projectId: string
}

/** The zone and id given for a record. */
export type RecordKey = { readonly zoneId: string; readonly id: string }

/** The requested part of a list. */
export type RecordRange = {
  /** Id of the record to begin after. */
  readonly marker: string | undefined
  readonly limit: number
}

/** Records in a piece of a list, approximately: a recordset is not split. */
const pieceRecords = 1000

/** Single records, as the older API has them: the values of the recordsets of PRIMARY zones. */
export class Records {
  readonly #options: RecordsOptions

  constructor(options: RecordsOptions) {
    this.#options = options
  }

  /** @throws ApiError invalid_object, zone_not_found, bad_request, forbidden, over_quota, invalid_ttl,
   *  invalid_recordset_location, duplicate_record */
  create(caller: Caller, zoneId: string, draft: RecordDraft): Promise<RecordOfZone> {
    requireValid('record', [...recordDraftErrors(draft), ...newFieldErrors(draft)])
    return this.#change(caller, zoneId, (tx, change) => addRecord(tx, change, draft))
  }

  /** @throws ApiError zone_not_found, record_not_found */
  get(caller: Caller, { zoneId, id }: RecordKey): RecordOfZone {
    const { store } = this.#options
    const zone = getPrimaryZone(store, caller, zoneId)
    return withZone(store, zone, getRecord(store, zone, id))
  }

  /** Lists the records of a zone in pieces, each read on demand, by creation of their recordsets and in the order
   *  within each. A piece costs its own records, wherever in the zone it begins.
   *  @throws ApiError zone_not_found, marker_not_found */
  *list(
    caller: Caller,
    zoneId: string,
    range: RecordRange,
  ): Generator<readonly RecordOfZone[], undefined> {
    const { store } = this.#options
    const zone = getPrimaryZone(store, caller, zoneId)
    let piece: RecordOfZone[] = []
    let octets = 0
    let left = range.limit
    for (const records of listed(store, zone, range)) {
      piece.push(...records.slice(0, left).map(record => withZone(store, zone, record)))
      octets += records[0] === undefined ? 0 : octetsOf(records[0].recordset)
      left -= records.length
      if (left <= 0) break
      if (piece.length < pieceRecords && octets < stepOctets) continue
      yield piece
      piece = []
      octets = 0
    }
    yield piece
  }

  /** Changes a record. A new name or type moves it to another recordset.
   *  @throws ApiError zone_not_found, record_not_found, bad_request, forbidden, invalid_object, invalid_ttl,
   *  invalid_recordset_location, over_quota, duplicate_record */
  update(caller: Caller, { zoneId, id }: RecordKey, patch: RecordPatch): Promise<RecordOfZone> {
    return this.#change(caller, zoneId, (tx, change) => {
      const found = getWritableRecord(tx, change, { id, done: 'updated' })
      const before = recordDraftOf(found.recordset, found)
      const draft = { ...before, ...definedOf(patch) }
      requireValid('record', [...recordDraftErrors(draft), ...newFieldErrors(draft, before)])
      const write = isSameOwner(draft, before) ? replaceRecord : moveRecord
      return write(tx, change, found, draft)
    })
  }

  /** @throws ApiError zone_not_found, record_not_found, bad_request, forbidden */
  async delete(caller: Caller, { zoneId, id }: RecordKey): Promise<void> {
    await this.#change(caller, zoneId, (tx, change) => {
      const found = getWritableRecord(tx, change, { id, done: 'deleted' })
      removeRecord(tx, change, found)
      return found
    })
  }

  #change(
    caller: Caller,
    zoneId: string,
    write: (tx: Transaction, change: RecordsetChange) => FoundRecord,
  ): Promise<RecordOfZone> {
    const { store, minTtlSeconds } = this.#options
    return store.commit(tx => {
      getPrimaryZone(tx, caller, zoneId)
      const zone = getWritableZone(tx, caller, zoneId)
      const record = write(tx, { caller, zone, minTtlSeconds })
      return withZone(tx, advanceZone(tx, zone), record)
    })
  }
}

function isSameOwner(one: RecordDraft, other: RecordDraft): boolean {
  return one.type === other.type && one.name.toLowerCase() === other.name.toLowerCase()
}

function withZone(reader: StoreReader, zone: Zone, record: FoundRecord): RecordOfZone {
  return { ...record, zone, projectId: recordsetProject(reader, record.recordset, zone) }
}

function getWritableRecord(
  tx: Transaction,
  { caller, zone }: RecordsetChange,
  { id, done }: { readonly id: string; readonly done: 'updated' | 'deleted' },
): FoundRecord {
  const found = getRecord(tx, zone, id)
  getWritableRecordset(tx, caller, { zone, id: found.recordset.id })
  requireNotManaged({ caller, zone }, found.recordset, done)
  return found
}

/** The records after a marker, a recordset at a time. */
function* listed(
  store: Store,
  zone: Zone,
  { marker, limit }: RecordRange,
): Generator<readonly FoundRecord[]> {
  const find = (id: string) => findRecord(store, zone, id)
  const last = marker === undefined ? undefined : requireMarker({ find }, marker)
  if (last !== undefined) yield recordsOf(last.recordset).slice(last.position + 1)
  const group = { index: 'byZone', key: zone.id, after: last?.recordset } as const
  for (const rows of rowPages(store, 'recordsets', { ...group, limit })) {
    for (const row of rows) yield recordsOf(row)
  }
}
