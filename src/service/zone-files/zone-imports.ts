import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { actingAs, currentActor } from '../../actor.ts'
import type { Bulk } from '../../bulk/bulk.ts'
import { ImportError, importMessage } from '../../bulk/import-error.ts'
import { ImportReporter } from '../../bulk/import-report.ts'
import { forwardSerial } from '../../bulk/import-soa.ts'
import type { ZoneFileContents } from '../../bulk/read-zone-file.ts'
import { FormatError } from '../../dns/format-error.ts'
import { type Name, parseName } from '../../dns/name.ts'
import { ApiError } from '../../errors.ts'
import type { Caller } from '../../identity/caller.ts'
import { isAllowed } from '../../identity/policy.ts'
import { newStamp } from '../../model/stamped.ts'
import type { Zone } from '../../model/zone.ts'
import type { ZoneImport } from '../../model/zone-import.ts'
import { withFinalDot } from '../../model/zone-name.ts'
import { everything } from '../../store/indexes.ts'
import {
  type Store,
  type StoreReader,
  StoreUnavailableError,
  type Transaction,
} from '../../store/store.ts'
import { commitSteps } from '../changes/step-commits.ts'
import { Tasks } from '../listing/tasks.ts'
import { requireNameForZone } from '../rules/placement.ts'
import { quotasOf, requireRoomForZone } from '../rules/quotas.ts'
import { putDeleting } from '../rules/zone-rows.ts'
import type { ZoneRemoval } from '../zones/zone-removal.ts'
import type { Zones } from '../zones/zones.ts'
import {
  type ImportTask,
  insertPacked,
  putComplete,
  putOutcome,
  requireSize,
  type ZoneFile,
} from './import-plan.ts'
import { ImportQueue } from './import-queue.ts'
import { replaceZone, shownAdditions } from './zone-replacing.ts'

type ZoneImportsOptions = {
  readonly store: Store
  readonly bulk: Bulk
  /** The name of this node, where there are several. */
  readonly node?: string | undefined
  readonly zones: Pick<Zones, 'createIn'>
  readonly removal: Pick<ZoneRemoval, 'remove'>
  /** The least TTL allowed; any if not set. */
  readonly minTtlSeconds?: number
  /** Called with an error of this server. */
  readonly onFailed: (row: ZoneImport, error: unknown) => void
}

const refusedMessage = 'The changes were not taken. Import the file again.'
/** Between two attempts to record the outcome of an import, while the log that nodes share takes no changes. */
const retryMs = 1000

/** Creates zones from zone files, after the response to the request, projects in turn. A large new zone is written in several
 *  commits under the mark `isImporting`: it is served after the last one. */
export class ZoneImports extends Tasks<'zoneImports'> {
  readonly #options: ZoneImportsOptions
  readonly #queue: ImportQueue
  /** By the id of its row. */
  readonly #running = new Map<string, Run>()
  #isClosed = false

  constructor(options: ZoneImportsOptions) {
    super(options.store, 'zoneImports')
    this.#options = options
    this.#queue = new ImportQueue()
  }

  /** Refuses an import that is certain to be refused, whatever is in the file: to be called before it is read.
   *  @throws ApiError too_many_requests, over_quota */
  requireRoom(
    { projectId }: Caller,
    { octetCount, replaces = false }: { readonly octetCount: number } & Pick<ZoneFile, 'replaces'>,
  ): void {
    if (!replaces) requireRoomForZone(this.#options.store, projectId)
    this.#queue.requireRoom(projectId, octetCount)
  }

  /** @throws ApiError too_many_requests, over_quota; bad_request the origin is no name */
  async create(caller: Caller, file: ZoneFile): Promise<ZoneImport> {
    const { projectId } = caller
    const octetCount = file.pieces.reduce((sum, { length }) => sum + length, 0)
    const origin = file.origin === undefined ? undefined : originOf(file.origin)
    this.requireRoom(caller, { ...file, octetCount })
    const giveBack = this.#queue.hold(projectId, octetCount)
    const row = await this.#putNew(caller).catch((error: unknown) => {
      giveBack()
      throw error
    })
    const actor = { ...currentActor(), road: 'import' } as const
    const made: Made = {}
    const done = this.#queue
      .run(projectId, octetCount, () =>
        actingAs(actor, () => this.#run({ row, caller, file }, origin, made)),
      )
      .finally(() => {
        giveBack()
        this.#running.delete(row.id)
      })
    this.#running.set(row.id, { made, done })
    return row
  }

  /** Ends imports that earlier runs of servers left unfinished: the files are gone, so their zones are marked for removal. Those that
   *  run here are not ended: a start that may write only later has begun some by then.
   *  @param isLeft whether the imports of a node of this name are abandoned; undefined: a server that was alone */
  async recover(isLeft: (node: string | undefined) => boolean): Promise<void> {
    const { store } = this.#options
    const message = 'The server was restarted during the import.'
    const outcome = { status: 'ERROR', message, zoneId: null } as const
    for (const { id, node } of [...store.list('zoneImports', 'pending', everything)]) {
      if (!isLeft(node)) continue
      await store.commit(tx => {
        const isPending = tx.get('zoneImports', id)?.status === 'PENDING'
        if (isPending && !this.#running.has(id)) putOutcome(tx, id, outcome)
      })
    }
    for (const { id, importNode } of [...store.list('zones', 'importing', everything)]) {
      const isRunning = [...this.#running.values()].some(({ made }) => made.zoneId === id)
      if (isLeft(importNode) && !isRunning) await store.commit(tx => markUnwanted(tx, id))
    }
  }

  /** Resolves when no import is running any more. */
  async settled(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ done }) => done))
  }

  /** Stops running imports; the next start cleans up after them. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.settled()
  }

  #putNew({ projectId }: Caller): Promise<ZoneImport> {
    const { node } = this.#options
    return this.store.commit(tx => {
      const state = { status: 'PENDING', message: null, zoneId: null } as const
      return this.add(tx, { ...newStamp(tx), ...state, projectId, ...(node && { node }) })
    })
  }

  /** Never rejects. */
  async #run(task: ImportTask, origin: Name | undefined, made: Made): Promise<void> {
    if (this.#isClosed) return
    try {
      await this.#import(task, origin, made)
    } catch (error) {
      if (this.#isClosed) return
      await this.#fail(task.row, { error, zoneId: made.zoneId })
    }
  }

  async #import(task: ImportTask, origin: Name | undefined, made: Made): Promise<void> {
    const { store, bulk } = this.#options
    const { caller, file } = task
    const contents = await this.#read(caller, { pieces: file.pieces, origin })
    if (this.#isClosed) return
    const replaced = file.replaces ? findOwnZone(store, caller, contents.soa.name) : undefined
    if (replaced !== undefined) {
      await replaceZone({ store, bulk, task, contents }, replaced, () => !this.#isClosed)
    } else if (file.isDryRun) await this.#tryOut(task, contents)
    else await this.#make(task, contents, made)
  }

  /** @throws ImportError */
  async #read(
    caller: Caller,
    { pieces, origin }: Pick<ZoneFile, 'pieces'> & { readonly origin: Name | undefined },
  ): Promise<ZoneFileContents> {
    const { store, bulk, minTtlSeconds = 0 } = this.#options
    const { zoneRecordsets, zoneRecords } = quotasOf(store, caller.projectId)
    const input = {
      pieces,
      hashSeed: randomInt(2 ** 32),
      origin,
      maxRecordsets: zoneRecordsets,
      maxRecords: zoneRecords,
      minTtlSeconds: isAllowed(caller, 'use_low_ttl') ? 0 : minTtlSeconds,
    }
    const reading = await bulk.readZoneFile(input, caller.projectId)
    if (reading.kind === 'refused') throw new ImportError(reading.message)
    return reading
  }

  async #make(task: ImportTask, contents: ZoneFileContents, made: Made): Promise<void> {
    const { store, node } = this.#options
    const importing = { isImporting: true, ...(node && { importNode: node }) } as const
    await commitSteps(contents.packed, async ({ run, lines }, { isFirst, isLast }) => {
      if (this.#isClosed) return false
      await store.commit(tx => {
        const zone = isFirst ? this.#putZone(tx, task, contents) : getImporting(tx, made)
        made.zoneId = zone.id
        if (isLast) finish(tx, { row: task.row, zone, contents })
        else if (isFirst) tx.put('zones', { ...zone, ...importing })
        insertPacked(tx, zone, { run, lineAt: i => lines[i] as number })
      })
      return true
    })
  }

  /** Creates the zone and rolls back, so that everything that would be refused is refused. */
  async #tryOut(task: ImportTask, contents: ZoneFileContents): Promise<void> {
    const { store, bulk } = this.#options
    const shown = await shownAdditions(bulk, contents, task.caller)
    const tried = new Error('tried out')
    let { serial } = contents.soa
    await store
      .commit(tx => {
        const zone = this.#putZone(tx, task, contents)
        for (const added of shown.added.named) requireNameForZone(tx, zone, added)
        serial = zone.serial
        throw tried
      })
      .catch((error: unknown) => {
        if (error !== tried) throw error
      })
    const report = importReport(contents, { serial }).report(shown)
    const done = `${contents.soa.name} would be imported`
    await store.commit(tx => putComplete(tx, task.row.id, { done, zoneId: null, report }))
  }

  #putZone(tx: Transaction, { caller, file }: ImportTask, contents: ZoneFileContents): Zone {
    const { name, email, ttlSeconds, serial, soaTimers } = contents.soa
    const { attributes } = file
    const { isSigned: isPresigned } = contents
    const own = { name, email, ttlSeconds, attributes, soa: { serial, soaTimers }, isPresigned }
    const draft = { ...own, type: 'PRIMARY', description: null, masters: [] } as const
    const zone = this.#options.zones.createIn(tx, caller, draft)
    requireSize(tx, zone, contents)
    return zone
  }

  async #fail(
    row: ZoneImport,
    { error, zoneId }: { readonly error: unknown; readonly zoneId: string | undefined },
  ): Promise<void> {
    const isRefused = error instanceof StoreUnavailableError
    const known = isRefused ? refusedMessage : importMessage(error)
    if (known === undefined) this.#options.onFailed(row, error)
    const message = known ?? 'An undefined error occurred during zone import.'
    try {
      await this.#putFailure(row, { message, zoneId })
    } catch (cause) {
      // Nothing can be written any more. The next start handles it.
      this.#options.onFailed(row, cause)
    }
  }

  /** Retries while the log that nodes share takes no changes: otherwise the import would show as running for ever, as this node
   *  is still alive. */
  async #putFailure(
    row: ZoneImport,
    { message, zoneId }: { readonly message: string; readonly zoneId: string | undefined },
  ): Promise<void> {
    for (;;) {
      try {
        const unwanted = await this.#options.store.commit(tx => {
          putOutcome(tx, row.id, { status: 'ERROR', message, zoneId: null })
          return zoneId === undefined ? undefined : markUnwanted(tx, zoneId)
        })
        if (unwanted !== undefined) await this.#options.removal.remove(unwanted)
        return
      } catch (cause) {
        if (!(cause instanceof StoreUnavailableError) || this.#isClosed) throw cause
        await delay(retryMs)
      }
    }
  }
}

/** The zone that an import has created so far. */
type Made = { zoneId?: string }

type Run = { readonly made: Made; readonly done: Promise<void> }

/** @throws ApiError bad_request */
function originOf(text: string): Name {
  try {
    return parseName(withFinalDot(text))
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw new ApiError('bad_request', `The origin is no domain name: ${error.message}`)
  }
}

/** The project's zone of a name, in any pool. */
function findOwnZone(reader: StoreReader, caller: Caller, name: string): Zone | undefined {
  const zones = reader.list('zones', 'byLowerName', name.toLowerCase())
  return [...zones].find(({ projectId }) => projectId === caller.projectId)
}

/** @throws ImportError it was deleted meanwhile */
function getImporting(tx: Transaction, { zoneId = '' }: { readonly zoneId?: string }): Zone {
  const zone = tx.get('zones', zoneId)
  if (zone !== undefined && !zone.isDeleting) return zone
  throw new ImportError('The zone was deleted during its import.')
}

/** The report of a new zone, whose serial may go on from that of an earlier zone of its name. */
function importReport(contents: ZoneFileContents, zone: Pick<Zone, 'serial'>): ImportReporter {
  const reporter = new ImportReporter(contents)
  forwardSerial(contents.soa, zone, reporter)
  return reporter
}

/** Marks an incomplete zone for removal. Returns it, unless it is deleted or marked already. */
function markUnwanted(tx: Transaction, zoneId: string): Zone | undefined {
  const stored = tx.get('zones', zoneId)
  if (stored?.isImporting !== true || stored.isDeleting) return undefined
  return putDeleting(tx, stored)
}

function finish(
  tx: Transaction,
  {
    row,
    zone: { isImporting, importNode: _, ...whole },
    contents,
  }: { readonly row: ZoneImport; readonly zone: Zone; readonly contents: ZoneFileContents },
): void {
  if (isImporting === true) tx.put('zones', { ...whole, version: whole.version + 1 })
  const report = importReport(contents, whole).report()
  putComplete(tx, row.id, { done: `${whole.name} imported`, zoneId: whole.id, report })
}
