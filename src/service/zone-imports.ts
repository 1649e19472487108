import { randomInt } from 'node:crypto'
import { formatName, labelsOf, nameFromOctets } from '../dns/name.ts'
import { ApiError } from '../errors.ts'
import type { Caller } from '../identity/caller.ts'
import type { Zone } from '../model/zone.ts'
import type { ZoneDraft } from '../model/zone-draft.ts'
import type { ZoneImport } from '../model/zone-import.ts'
import { everything } from '../store/indexes.ts'
import type { Store, StoreReader, Transaction } from '../store/store.ts'
import { ImportError, importMessage } from './import-error.ts'
import { checkRecordsets, type ImportSize, importSteps, putImported } from './import-recordsets.ts'
import { type Page, type PageRequest, pageOf } from './listing.ts'
import { requireWithinQuota } from './quotas.ts'
import { Slots } from './slots.ts'
import { commitSteps } from './step-commits.ts'
import { findTask, tasksOf } from './task-listing.ts'
import { readZoneFile, type ZoneFileContents } from './zone-file-contents.ts'
import type { ZoneRemoval } from './zone-removal.ts'
import { changedRow, newStamp, putDeleting } from './zone-rows.ts'
import type { Zones } from './zones.ts'

/** Characters of all files that are worked on or wait for it. */
const maxHeldCharacters = 256 * 1024 * 1024

/** Record sets of a new zone that the server makes: SOA and NS of the apex. */
const managedRecordsets = 2

export type ZoneImportsOptions = {
  readonly store: Store
  readonly zones: Pick<Zones, 'createIn'>
  readonly removal: Pick<ZoneRemoval, 'remove'>
  /** What a TTL must be at least; anything when not given. */
  readonly minTtlSeconds?: number
  /** Told of what is our own fault. */
  readonly onFailed: (row: ZoneImport, error: unknown) => void
}

/** A master file, and what else is said of the zone that is to be made of it. */
export type ZoneFile = {
  readonly text: string
  readonly attributes: ZoneDraft['attributes']
}

/** Zones made of master files, one file after the other, after the request has been answered. A large zone is
 *  written in several commits, under the mark `isImporting`: it is served when the last of them is through. */
export class ZoneImports {
  readonly #options: ZoneImportsOptions
  readonly #slots = new Slots({ maxTotal: 1, maxPerKey: 1 })
  readonly #running = new Set<Promise<void>>()
  #heldCharacters = 0
  #isClosed = false

  constructor(options: ZoneImportsOptions) {
    this.#options = options
  }

  /** @throws ApiError too_many_requests */
  async create(caller: Caller, file: ZoneFile): Promise<ZoneImport> {
    const { length } = file.text
    if (this.#heldCharacters + length > maxHeldCharacters) {
      const message = 'Too many zone files wait to be imported'
      throw new ApiError('too_many_requests', message, { retryAfterSeconds: 10 })
    }
    this.#heldCharacters += length
    const row = await this.#putNew(caller).catch((error: unknown) => {
      this.#heldCharacters -= length
      throw error
    })
    const run = this.#slots
      .run('', () => this.#run(caller, row, file))
      .finally(() => {
        this.#heldCharacters -= length
        this.#running.delete(run)
      })
    this.#running.add(run)
    return row
  }

  /** @throws ApiError zone_import_not_found */
  get(caller: Caller, id: string): ZoneImport {
    return getImport(this.#options.store, caller, id)
  }

  /** @throws ApiError marker_not_found */
  list(caller: Caller, request: PageRequest<ZoneImport>): Page<ZoneImport> {
    return pageOf(tasksOf(this.#options.store, caller, 'zoneImports'), request)
  }

  /** What is under way goes on; only its row is forgotten.
   *  @throws ApiError zone_import_not_found */
  delete(caller: Caller, id: string): Promise<void> {
    return this.#options.store.commit(tx => tx.delete('zoneImports', getImport(tx, caller, id).id))
  }

  /** Ends what an earlier run of the server has left half done: the files are gone, so their zones are marked to go
   *  too. */
  async recover(): Promise<void> {
    const { store } = this.#options
    const message = 'The server was restarted during the import.'
    for (const { id } of [...store.list('zoneImports', 'pending', everything)]) {
      await store.commit(tx => putOutcome(tx, id, { status: 'ERROR', message, zoneId: null }))
    }
    for (const { id } of [...store.list('zones', 'importing', everything)]) {
      await store.commit(tx => markUnwanted(tx, id))
    }
  }

  /** Resolves when nothing is under way any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#running)
  }

  /** Stops what is under way; the next start cleans up after it. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.settled()
  }

  #putNew(caller: Caller): Promise<ZoneImport> {
    return this.#options.store.commit(tx => {
      const { projectId } = caller
      const state = { status: 'PENDING', message: null, zoneId: null } as const
      const row: ZoneImport = { ...newStamp(tx), ...state, projectId }
      tx.put('zoneImports', row)
      return row
    })
  }

  /** Never rejects. */
  async #run(caller: Caller, row: ZoneImport, file: ZoneFile): Promise<void> {
    if (this.#isClosed) return
    const made: { zoneId?: string } = {}
    try {
      await this.#import(caller, { row, file, made })
    } catch (error) {
      if (this.#isClosed) return
      await this.#fail(row, { error, zoneId: made.zoneId })
    }
  }

  async #import(
    caller: Caller,
    task: { row: ZoneImport; file: ZoneFile; made: { zoneId?: string } },
  ): Promise<void> {
    const { minTtlSeconds = 0 } = this.#options
    const contents = await readZoneFile(task.file.text, randomInt(2 ** 32))
    const size = await checkRecordsets(contents, { caller, minTtlSeconds })
    const draft = draftOf(contents, task.file)
    await commitSteps(importSteps(contents), async (recordsets, { isFirst, isLast }) => {
      if (this.#isClosed) return false
      await this.#options.store.commit(tx => {
        const zone = isFirst
          ? this.#putZone(tx, caller, { draft, size })
          : getImporting(tx, task.made)
        task.made.zoneId = zone.id
        putImported(tx, zone, recordsets)
        if (isLast) finish(tx, { row: task.row, zone, outsideCount: contents.outsideCount })
        else if (isFirst) tx.put('zones', { ...zone, isImporting: true })
      })
      return true
    })
  }

  #putZone(
    tx: Transaction,
    caller: Caller,
    { draft, size }: { readonly draft: ZoneDraft; readonly size: ImportSize },
  ): Zone {
    const zone = this.#options.zones.createIn(tx, caller, draft)
    requireWithinQuota(tx, zone.projectId, {
      zoneRecordsets: size.recordsets + managedRecordsets,
      zoneRecords: size.records,
      recordsetRecords: size.recordsetRecords,
    })
    return zone
  }

  async #fail(
    row: ZoneImport,
    { error, zoneId }: { readonly error: unknown; readonly zoneId: string | undefined },
  ): Promise<void> {
    const known = importMessage(error)
    if (known === undefined) this.#options.onFailed(row, error)
    const message = known ?? 'An undefined error occurred during zone import.'
    try {
      const unwanted = await this.#options.store.commit(tx => {
        putOutcome(tx, row.id, { status: 'ERROR', message, zoneId: null })
        return zoneId === undefined ? undefined : markUnwanted(tx, zoneId)
      })
      if (unwanted !== undefined) await this.#options.removal.remove(unwanted)
    } catch (cause) {
      // Nothing can be written any more. The next start takes it up.
      this.#options.onFailed(row, cause)
    }
  }
}

/** E-mail address and TTL are the SOA's; serial and timers are ours, as of any new zone. */
function draftOf({ soa }: ZoneFileContents, { attributes }: ZoneFile): ZoneDraft {
  const [rdata = new Uint8Array()] = soa.rdatas
  const mname = nameFromOctets(rdata, 0)
  const [local = '', ...domain] = labelsOf(nameFromOctets(rdata, mname.length))
  return {
    name: formatName(soa.owner),
    type: 'PRIMARY',
    email: `${local}@${domain.join('.')}`,
    ttlSeconds: soa.hasTtl ? soa.ttlSeconds : null,
    description: null,
    masters: [],
    attributes,
  }
}

/** @throws ImportError it was deleted meanwhile */
function getImporting(tx: Transaction, { zoneId = '' }: { readonly zoneId?: string }): Zone {
  const zone = tx.get('zones', zoneId)
  if (zone !== undefined && !zone.isDeleting) return zone
  throw new ImportError('The zone was deleted during its import.')
}

function getImport(reader: StoreReader, caller: Caller, id: string): ZoneImport {
  const row = findTask(reader, caller, { collection: 'zoneImports', id })
  if (row !== undefined) return row
  throw new ApiError('zone_import_not_found', 'Could not find ZoneImport')
}

/** Marks a zone that did not get whole for removal. Returns it, unless it is gone or going already. */
function markUnwanted(tx: Transaction, zoneId: string): Zone | undefined {
  const stored = tx.get('zones', zoneId)
  if (stored?.isImporting !== true || stored.isDeleting) return undefined
  return putDeleting(tx, stored)
}

function finish(
  tx: Transaction,
  done: { readonly row: ZoneImport; readonly zone: Zone; readonly outsideCount: number },
): void {
  const { isImporting, ...whole } = done.zone
  if (isImporting === true) tx.put('zones', { ...whole, version: whole.version + 1 })
  const leftOut =
    done.outsideCount === 0 ? '' : `; records outside the zone left out: ${done.outsideCount}`
  const message = `${whole.name} imported${leftOut}`
  putOutcome(tx, done.row.id, { status: 'COMPLETE', message, zoneId: whole.id })
}

/** Does nothing when the row was deleted meanwhile. */
function putOutcome(
  tx: Transaction,
  id: string,
  outcome: Pick<ZoneImport, 'status' | 'message' | 'zoneId'>,
): void {
  const row = tx.get('zoneImports', id)
  if (row !== undefined) tx.put('zoneImports', changedRow(tx, row, outcome))
}
