import { dirname } from 'node:path'
import {
  DamageError,
  type Defect,
  damagedSuffix,
  type Mended,
  type OnDamage,
  setAside,
} from '../durable/damage.ts'
import { type FileSystem, type Place, realFiles } from '../durable/file-system.ts'
import { mendedEnd, tornEndOf } from '../durable/log-recovery.ts'
import { segmentAt } from '../durable/log-segment.ts'
import { inSlices } from '../time-slice.ts'
import { listLog, logDirectory } from './commit-log.ts'
import { documentNames } from './layout.ts'
import {
  emptyManifest,
  type Manifest,
  readManifests,
  removeUnnamed,
  writeManifest,
} from './manifest.ts'
import { hasOlderDocuments, setOlderDocumentsAside } from './older-documents.ts'
import { holdsData, readStore } from './recovery.ts'
import { type LsnRange, type Salvage, salvage } from './salvage.ts'
import type { Tables } from './tables.ts'
import { writeGeneration } from './write-generation.ts'

// What an operator can run when a store refuses to start: gives up the damaged parts to save the rest. The given-up parts stay in
// separate files, and all that can still be read is rewritten.

export type RepairReport = {
  /** Empty if nothing was wrong and nothing was done. */
  readonly defects: readonly Defect[]
  /** Changes that were lost: at or behind a damaged part of the log, and in no document. */
  readonly givenUpChanges: readonly LsnRange[]
  /** Documents of which an older copy was used. */
  readonly agedDocuments: readonly string[]
  /** Record sets that were readable, but whose zone was not. */
  readonly orphanCount: number
  /** By zone name, record sets that were not readable: they are lost, or in an earlier state. */
  readonly lostRecordsets: readonly { readonly zone: string; readonly count: number }[]
  /** Sound changes that are no longer in the log: some of what they led to is lost. */
  readonly givenUpHistory: readonly LsnRange[]
  /** The present paths of the files that the store no longer reads. */
  readonly setAside: readonly string[]
}

export type RepairOptions = {
  readonly directory: string
  /** The machine's files, unless a test passes its own. */
  readonly files?: FileSystem
  /** Called before a repair changes anything: what was derived from the store may no longer agree with it. */
  readonly beforeRepair?: () => Promise<unknown>
}

/** Reads all of a store and lists what keeps it from starting; changes nothing.
 *  @throws DamageError there is no store, or one of another version */
export async function checkStore(options: RepairOptions): Promise<readonly Defect[]> {
  const place = { files: realFiles, ...options }
  await requireStore(place)
  return (await readWithDefects(place)).defects
}

/** What is wrong with the files of a store. */
export type StoreDefects = {
  /** What keeps it from starting. */
  readonly defects: readonly Defect[]
  readonly mended: readonly Mended[]
}

/** Reads all that can be read of a store, and what is wrong with it. */
export async function readWithDefects(
  place: Place,
): Promise<StoreDefects & { readonly tables: Tables }> {
  const defects: Defect[] = []
  const onDamage: OnDamage = (file, problem) => defects.push({ file, problem })
  const { tables, log, loadRecordsets, indexRecordsets } = await readStore(place, onDamage)
  const { healed } = await loadRecordsets()
  await inSlices(indexRecordsets())
  const remedy = 'The next start restores it from the generation before and the log'
  const cut = log.break?.isDamage === true ? undefined : tornEndOf(log)
  const mended = healed.map(defect => ({ ...defect, remedy }))
  return { tables, defects, mended: cut === undefined ? mended : [...mended, mendedEnd(cut)] }
}

/** Repairs a damaged store so that it starts again, and reports what was lost. A sound store stays unchanged. No other process
 *  may have it open.
 *  @throws DamageError there is no store, or one of another version */
export async function repairStore(options: RepairOptions): Promise<RepairReport> {
  const place = { files: realFiles, ...options }
  await requireStore(place)
  return repair(place, await checkStore(place), options.beforeRepair)
}

/** @throws DamageError there is no store, or one of another version */
export async function requireStore(place: Place): Promise<void> {
  const found = await readManifests(place)
  if ((found.current ?? found.previous ?? found.problem) !== undefined) return
  if (await holdsData(place)) return
  const problem = 'there is no store in this directory'
  throw new DamageError(place.directory, { problem, remedy: 'Check --data-dir' })
}

async function repair(
  place: Place,
  defects: readonly Defect[],
  beforeRepair: () => Promise<unknown> = async () => undefined,
): Promise<RepairReport> {
  const nothing = { givenUpChanges: [], agedDocuments: [], orphanCount: 0, lostRecordsets: [] }
  if (defects.length === 0) return { ...nothing, defects, givenUpHistory: [], setAside: [] }
  const saved = await salvage(place)
  await beforeRepair()
  const setAside = await keepDamaged(place, defects)
  const manifest = await writeAll(place, saved)
  await writeManifest(place, manifest)
  await removeUnnamed(place, [manifest])
  const keepsLog = await isStillTrue(place, saved, defects)
  if (!keepsLog) setAside.push(...(await replaceLog(place, saved)))
  if (await hasOlderDocuments(place)) await setOlderDocumentsAside(place)
  const left = await checkStore(place)
  if (left.length > 0) throw new Error(`the repair has left ${left[0]?.file}: ${left[0]?.problem}`)
  const { givenUpChanges, agedDocuments, orphanCount } = saved
  const lostRecordsets = Array.from(saved.lostByZone, ([zoneId, count]) => ({
    zone: saved.tables.get('zones', zoneId)?.name ?? zoneId,
    count,
  }))
  const givenUpHistory = keepsLog ? [] : saved.logged
  return {
    ...{ defects, givenUpChanges, agedDocuments, orphanCount, lostRecordsets },
    ...{ givenUpHistory, setAside },
  }
}

/** Whether the log still says how the zones came to be as they are: then it remains their history. */
async function isStillTrue(
  place: Place,
  { beganLsn, givenUpChanges }: Salvage,
  defects: readonly Defect[],
): Promise<boolean> {
  const segments = await listLog(place)
  const isCurrent = segments.length > 0 && segments.every(({ octets }) => octets === undefined)
  if (!isCurrent || givenUpChanges.length > 0) return false
  const isBeside = ({ file }: Defect) =>
    file.endsWith('.json') && !/\/(?:zones-|dnssecKeys)[^/]*$/.test(file)
  const isFile = ({ file }: Defect) => /\.(?:json|segment)$/.test(file)
  return defects.every(beganLsn === 0 ? isFile : isBeside)
}

/** Gives damaged files a second name, under which no program looks at them. */
async function keepDamaged({ files }: Place, defects: readonly Defect[]): Promise<string[]> {
  const kept: string[] = []
  for (const { file } of defects) {
    const isThere = await files.read(file).then(
      octets => octets !== undefined,
      () => true,
    )
    if (!isThere || !/\.(?:json|segment)$/.test(file)) continue
    await files.link(file, file + damagedSuffix)
    await files.syncDirectory(dirname(file))
    kept.push(file + damagedSuffix)
  }
  return kept
}

/** Writes everything saved as a new generation, numbered after all existing files. */
async function writeAll(
  place: Place,
  { tables, generation, endLsn, lastLsn, lastAtMicros }: Salvage,
): Promise<Manifest> {
  const { recordsets } = tables
  for (const number of recordsets.numbers()) recordsets.changed.note(number)
  const options = { ...place, tables, begunLsn: () => endLsn }
  const base = { ...emptyManifest, generation: generation + 1 }
  const written = await writeGeneration(options, base, {
    documents: new Set(documentNames),
    recordsets: recordsets.changed.take(),
  })
  const atMicros = lastAtMicros
  return { ...base, ...written, _lsn: lastLsn, heldLsn: lastLsn, previousLsn: lastLsn, atMicros }
}

/** Everything usable in the log is in other files now. The unusable part is kept; an empty segment records where to continue, so
 *  that no number of a lost change is reused. Its changes no longer lead to the present rows, so they are no history of them. */
async function replaceLog(place: Place, { lastLsn, spoiledSegments }: Salvage) {
  const { files, directory } = place
  const moved: string[] = []
  // Newest first: of an interrupted repair nothing is left that seems to lead to changes that were given up.
  for (const { path } of (await listLog(place)).toReversed()) {
    if (spoiledSegments.has(path)) {
      await setAside(files, path)
      moved.push(path + damagedSuffix)
    } else {
      await files.remove(path)
    }
    await files.syncDirectory(logDirectory(directory))
  }
  await files.makeDirectory(logDirectory(directory))
  const file = await files.create(segmentAt(logDirectory(directory), lastLsn + 1).path)
  await file.close()
  await files.syncDirectory(logDirectory(directory))
  await files.syncDirectory(directory)
  return moved
}

/** Says in a few lines what a repair has found and done. */
export function describeRepair(report: RepairReport): string {
  if (report.defects.length === 0) return 'Nothing is wrong with the store.'
  const lines = [
    'Found:',
    ...report.defects.map(({ file, problem }) => `  ${file}: ${problem}`),
    ...section('Changes given up, by number:', report.givenUpChanges.map(describeRange)),
    ...section('An older copy was used of:', report.agedDocuments),
    ...(report.orphanCount === 0
      ? []
      : [`Record sets given up because their zone is lost: ${report.orphanCount}`]),
    ...section(
      'Record sets that are lost, or as they were before their last changes, by zone:',
      report.lostRecordsets.map(({ zone, count }) => `${zone} ${count}`),
    ),
    ...section(
      'The history of zones, undo and differences for secondaries begin anew, without the changes:',
      report.givenUpHistory.map(describeRange),
    ),
    ...section('Set aside, for you to look at and delete:', report.setAside),
    'The store can be started again.',
  ]
  return lines.join('\n')
}

function section(title: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [title, ...items.map(item => `  ${item}`)]
}

function describeRange({ firstLsn, lastLsn }: LsnRange): string {
  return firstLsn === lastLsn ? String(firstLsn) : `${firstLsn} to ${lastLsn}`
}
