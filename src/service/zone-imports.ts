import { randomInt } from 'node:crypto'
import { FormatError } from '../dns/format-error.ts'
import { type Name, parseName } from '../dns/name.ts'
import { ApiError } from '../errors.ts'
import type { Caller } from '../identity/caller.ts'
import { requireValid } from '../model/field-rules.ts'
import type { Zone } from '../model/zone.ts'
import { type ZoneDraft, zoneFieldErrors } from '../model/zone-draft.ts'
import type { ImportReport, ZoneImport } from '../model/zone-import.ts'
import { everything } from '../store/indexes.ts'
import type { Store, StoreReader, Transaction } from '../store/store.ts'
import { compareFile, type FileDifference, writeDifference } from './import-difference.ts'
import { ImportError, importMessage } from './import-error.ts'
import { ImportQueue, type ImportQueueLimits } from './import-queue.ts'
import {
  checkRecordsets,
  type ImportSize,
  importSteps,
  insertImported,
} from './import-recordsets.ts'
import { doneMessage } from './import-report.ts'
import { type FileSoa, fileSoaOf, forwardSerial } from './import-soa.ts'
import { type Page, type PageRequest, pageOf } from './listing.ts'
import { requireNameForZone } from './placement.ts'
import { quotasOf, requireRoomForZone, requireWithinQuota } from './quotas.ts'
import { commitSteps } from './step-commits.ts'
import { findTask, tasksOf } from './task-listing.ts'
import { getChangeableZone } from './zone-access.ts'
import { readZoneFile, type ZoneFileContents } from './zone-file-contents.ts'
import type { ZoneRemoval } from './zone-removal.ts'
import { advanceZone, changedRow, newStamp, putDeleting } from './zone-rows.ts'
import type { Zones } from './zones.ts'

/** Record sets of a new zone that the server makes: SOA and NS of the apex. */
const managedRecordsets = 2

export type ZoneImportsOptions = {
  readonly store: Store
  readonly zones: Pick<Zones, 'createIn'>
  readonly removal: Pick<ZoneRemoval, 'remove'>
  /** What a TTL must be at least; anything when not given. */
  readonly minTtlSeconds?: number
  /** How many files may wait. */
  readonly queueLimits?: Partial<ImportQueueLimits>
  /** Told of what is our own fault. */
  readonly onFailed: (row: ZoneImport, error: unknown) => void
}

/** A master file, and what else is said of the zone that is to be made of it. */
export type ZoneFile = {
  readonly text: string
  readonly attributes: ZoneDraft['attributes']
  /** A domain name, for a file that does not begin with $ORIGIN; its final dot may be missing. */
  readonly origin?: string | undefined
  /** Whether a zone of this name that the project has becomes what the file says. */
  readonly replaces?: boolean
  /** Whether it is only told what would be done. */
  readonly isDryRun?: boolean
}

/** Zones made of master files, after the request has been answered, projects by turns. A large new zone is
 *  written in several commits, under the mark `isImporting`: it is served when the last of them is through. */
export class ZoneImports {
  readonly #options: ZoneImportsOptions
  readonly #queue: ImportQueue
  readonly #running = new Set<Promise<void>>()
  #isClosed = false

  constructor(options: ZoneImportsOptions) {
    this.#options = options
    this.#queue = new ImportQueue(options.queueLimits)
  }

  /** Refuses what is certain to be refused, whatever is in the file: to be asked before it is read.
   *  @throws ApiError too_many_requests, over_quota */
  requireRoom(
    { projectId }: Caller,
    { characters, replaces = false }: { readonly characters: number } & Pick<ZoneFile, 'replaces'>,
  ): void {
    if (!replaces) requireRoomForZone(this.#options.store, projectId)
    this.#queue.requireRoom(projectId, characters)
  }

  /** @throws ApiError too_many_requests, over_quota; bad_request the origin is no name */
  async create(caller: Caller, file: ZoneFile): Promise<ZoneImport> {
    const { projectId } = caller
    const { length } = file.text
    const origin = file.origin === undefined ? undefined : originOf(file.origin)
    this.requireRoom(caller, { ...file, characters: length })
    const giveBack = this.#queue.hold(projectId, length)
    const row = await this.#putNew(caller).catch((error: unknown) => {
      giveBack()
      throw error
    })
    const run = this.#queue
      .run(projectId, length, () => this.#run(caller, { row, file, origin, made: {} }))
      .finally(() => {
        giveBack()
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
  async #run(caller: Caller, task: ImportTask): Promise<void> {
    if (this.#isClosed) return
    try {
      await this.#import(caller, task)
    } catch (error) {
      if (this.#isClosed) return
      await this.#fail(task.row, { error, zoneId: task.made.zoneId })
    }
  }

  async #import(caller: Caller, task: ImportTask): Promise<void> {
    const { store, minTtlSeconds = 0 } = this.#options
    const { file, origin } = task
    const maxRecordsets = quotasOf(store, caller.projectId).zoneRecordsets
    const contents = await readZoneFile(file.text, {
      hashSeed: randomInt(2 ** 32),
      origin,
      maxRecordsets,
    })
    const plan: ImportPlan = {
      contents,
      soa: fileSoaOf(contents.soa, contents.reporter),
      size: await checkRecordsets(contents, { caller, minTtlSeconds }),
    }
    const replaced = file.replaces ? findOwnZone(store, caller, plan.soa.name) : undefined
    if (replaced !== undefined) await this.#replace(caller, task, { plan, zone: replaced })
    else if (file.isDryRun) await this.#tryOut(caller, task, plan)
    else await this.#make(caller, task, plan)
  }

  async #make(caller: Caller, task: ImportTask, plan: ImportPlan): Promise<void> {
    const { contents } = plan
    await commitSteps(importSteps(contents), async (step, { isFirst, isLast }) => {
      if (this.#isClosed) return false
      await this.#options.store.commit(tx => {
        const zone = isFirst
          ? this.#putZone(tx, caller, { plan, attributes: task.file.attributes })
          : getImporting(tx, task.made)
        task.made.zoneId = zone.id
        insertImported(tx, zone, { contents, step })
        if (isLast) finish(tx, { row: task.row, zone, report: contents.reporter.report() })
        else if (isFirst) tx.put('zones', { ...zone, isImporting: true })
      })
      return true
    })
  }

  /** Makes the zone and takes it back, so that all that would be refused is. */
  async #tryOut(caller: Caller, { row, file }: ImportTask, plan: ImportPlan): Promise<void> {
    const { store } = this.#options
    const { shown } = await compareFile(store, undefined, plan.contents)
    const tried = new Error('tried out')
    await store
      .commit(tx => {
        const zone = this.#putZone(tx, caller, { plan, attributes: file.attributes })
        for (const added of shown.added.named) requireNameForZone(tx, zone, added)
        throw tried
      })
      .catch((error: unknown) => {
        if (error !== tried) throw error
      })
    const report = plan.contents.reporter.report(shown)
    const done = `${plan.soa.name} would be imported`
    await store.commit(tx =>
      putOutcome(tx, row.id, { ...complete(done, report), zoneId: null, report }),
    )
  }

  /** Writes what differs in one go. A zone that is changed meanwhile is compared anew. */
  async #replace(
    caller: Caller,
    { row, file }: ImportTask,
    { plan, zone }: { readonly plan: ImportPlan; readonly zone: Zone },
  ): Promise<void> {
    const { store } = this.#options
    for (let attempt = 1, before = zone; ; attempt += 1) {
      if (this.#isClosed) return
      const difference = await compareFile(store, before, plan.contents)
      const now = await store.commit(tx => {
        const current = getReplaceable(tx, caller, before.id)
        if (current.version !== before.version) return current
        writeReplacement(tx, { row, file, plan, zone: current, difference })
        return undefined
      })
      if (now === undefined) return
      if (attempt === maxComparisons) throw new ImportError(isChangedMeanwhile)
      before = now
    }
  }

  #putZone(
    tx: Transaction,
    caller: Caller,
    { plan, attributes }: { readonly plan: ImportPlan } & Pick<ZoneFile, 'attributes'>,
  ): Zone {
    const { size, soa } = plan
    const { name, email, ttlSeconds, serial, soaTimers } = soa
    const own = { name, email, ttlSeconds, attributes, soa: { serial, soaTimers } }
    const draft = { ...own, type: 'PRIMARY', description: null, masters: [] } as const
    const zone = this.#options.zones.createIn(tx, caller, draft)
    requireSize(tx, zone, size)
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

/** An import under way. */
type ImportTask = {
  readonly row: ZoneImport
  readonly file: ZoneFile
  readonly origin: Name | undefined
  readonly made: { zoneId?: string }
}

/** What a file has been found to say. */
type ImportPlan = {
  readonly contents: ZoneFileContents
  readonly soa: FileSoa
  readonly size: ImportSize
}

/** @throws ApiError bad_request */
function originOf(text: string): Name {
  try {
    return parseName(text.endsWith('.') ? text : `${text}.`)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw new ApiError('bad_request', `The origin is no domain name: ${error.message}`)
  }
}

/** How often a zone that others change is compared with a file. */
const maxComparisons = 5
const isChangedMeanwhile = 'The zone was changed again and again during its import.'

/** The project's zone of a name, in whichever pool. */
function findOwnZone(reader: StoreReader, caller: Caller, name: string): Zone | undefined {
  const zones = reader.list('zones', 'byLowerName', name.toLowerCase())
  return [...zones].find(({ projectId }) => projectId === caller.projectId)
}

/** @throws ApiError zone_not_found, bad_request; ImportError it is a SECONDARY */
function getReplaceable(reader: StoreReader, caller: Caller, id: string): Zone {
  const zone = getChangeableZone(reader, caller, id)
  if (zone.type === 'PRIMARY') return zone
  throw new ImportError('The zone is a SECONDARY: its content is its master’s.')
}

/** @throws ApiError over_quota */
function requireSize(reader: StoreReader, zone: Zone, size: ImportSize): void {
  requireWithinQuota(reader, zone.projectId, {
    zoneRecordsets: size.recordsets + managedRecordsets,
    zoneRecords: size.records,
    recordsetRecords: size.recordsetRecords,
  })
}

function writeReplacement(
  tx: Transaction,
  {
    row,
    file,
    plan: { soa, contents, size },
    zone,
    difference,
  }: Pick<ImportTask, 'row' | 'file'> & {
    readonly plan: ImportPlan
    readonly zone: Zone
    readonly difference: FileDifference
  },
): void {
  if (size.recordsets + managedRecordsets > tx.count('recordsets', 'byZone', zone.id)) {
    requireSize(tx, zone, size)
  }
  const { email, soaTimers } = soa
  requireValid('zone', zoneFieldErrors({ ...zone, email }))
  const reporter = contents.reporter.copy()
  const serial = forwardSerial(soa, zone, reporter)
  const report = reporter.report(difference.shown)
  if (file.isDryRun) {
    const message = complete(`${zone.name} would be replaced`, report)
    putOutcome(tx, row.id, { ...message, zoneId: zone.id, report })
    return
  }
  writeDifference(tx, zone, difference)
  const ttlSeconds = soa.ttlSeconds ?? zone.ttlSeconds
  const changes = { email, soaTimers, ttlSeconds, ...(serial !== undefined && { serial }) }
  advanceZone(tx, zone, changes)
  putOutcome(tx, row.id, { ...complete(`${zone.name} replaced`, report), zoneId: zone.id, report })
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
  done: { readonly row: ZoneImport; readonly zone: Zone; readonly report: ImportReport },
): void {
  const { isImporting, ...whole } = done.zone
  const { report } = done
  if (isImporting === true) tx.put('zones', { ...whole, version: whole.version + 1 })
  const message = complete(`${whole.name} imported`, report)
  putOutcome(tx, done.row.id, { ...message, zoneId: whole.id, report })
}

function complete(done: string, report: ImportReport): Pick<ZoneImport, 'status' | 'message'> {
  return { status: 'COMPLETE', message: doneMessage(done, report) }
}

/** Does nothing when the row was deleted meanwhile. */
function putOutcome(
  tx: Transaction,
  id: string,
  outcome: Pick<ZoneImport, 'status' | 'message' | 'zoneId' | 'report'>,
): void {
  const row = tx.get('zoneImports', id)
  if (row !== undefined) tx.put('zoneImports', changedRow(tx, row, outcome))
}
