import { dirname, join } from 'node:path'
import { DamageError, type Defect, damagedSuffix, setAside } from '../durable/damage.ts'
import { type FileSystem, type Place, realFiles } from '../durable/file-system.ts'
import { previousSuffix } from '../durable/replace-file.ts'
import { inSlices } from '../time-slice.ts'
import { CheckpointPass } from './checkpoint-pass.ts'
import { everything } from './indexes.ts'
import { journalDirectory, listSegments, segmentAt } from './journal.ts'
import { type DocumentKey, parseShardDirectory, parseZoneName, zonesDirectory } from './layout.ts'
import { manifestPath, readManifest, writeManifest } from './manifest.ts'
import { readStore } from './recovery.ts'
import { type LsnRange, type Salvage, salvage } from './salvage.ts'
import { defaultRowsPerShard } from './shard-plan.ts'
import type { Tables } from './tables.ts'

// What a person can order when a store refuses to start: to give up what is damaged, for the sake of the rest.
// Whatever is given up stays in files beside, and all that can still be read is written anew.

export type RepairReport = {
  /** Empty where nothing was wrong, and nothing was done. */
  readonly defects: readonly Defect[]
  /** Changes that were lost: at or behind a damaged part of the journal, and in no document. */
  readonly givenUpChanges: readonly LsnRange[]
  /** Documents of which an older copy was used. */
  readonly agedDocuments: readonly string[]
  /** Record sets that were readable, but whose zone was not. */
  readonly orphanCount: number
  /** Where the files are now that the store no longer looks at. */
  readonly setAside: readonly string[]
}

export type RepairOptions = {
  readonly directory: string
  /** The machine's files, unless a test has its own. */
  readonly files?: FileSystem
}

/** Reads all of a store and lists what keeps it from starting; changes nothing.
 *  @throws DamageError there is no store, or one of another version */
export async function checkStore(options: RepairOptions): Promise<readonly Defect[]> {
  const place = { files: realFiles, ...options }
  await requireStore(place)
  return (await readWithDefects(place)).defects
}

/** Reads all that can be read of a store, and what keeps it from starting. */
export async function readWithDefects(
  place: Place,
): Promise<{ readonly tables: Tables; readonly defects: readonly Defect[] }> {
  const defects: Defect[] = []
  const { tables, indexRecordsets } = await readStore(place, (file, problem) =>
    defects.push({ file, problem }),
  )
  await inSlices(indexRecordsets())
  return { tables, defects }
}

/** Makes a damaged store start again, and says what that has cost. A store that is sound stays as it is.
 *  No other process may have it open.
 *  @throws DamageError there is no store, or one of another version */
export async function repairStore(options: RepairOptions): Promise<RepairReport> {
  const place = { files: realFiles, ...options }
  await requireStore(place)
  return repair(place, await checkStore(place))
}

/** @throws DamageError there is no store, or one of another version */
export async function requireStore(place: Place): Promise<void> {
  const manifest = await readManifest(place, () => undefined)
  if (manifest !== undefined) return
  const problem = 'there is no store in this directory'
  throw new DamageError(place.directory, { problem, remedy: 'Check --data-dir' })
}

async function repair(place: Place, defects: readonly Defect[]): Promise<RepairReport> {
  if (defects.length === 0) {
    return { defects, givenUpChanges: [], agedDocuments: [], orphanCount: 0, setAside: [] }
  }
  const saved = await salvage(place)
  const setAside = [
    ...(await setDocumentsAside(place, defects)),
    ...(await setLostZonesAside(place, saved)),
  ]
  await writeDocuments(place, saved)
  setAside.push(...(await replaceJournal(place, saved)))
  await writeManifest(place.files, place.directory, {
    _lsn: saved.lastLsn,
    previousLsn: saved.lastLsn,
    atMicros: saved.lastAtMicros,
    collections: saved.collections,
  })
  const left = await checkStore(place)
  if (left.length > 0) throw new Error(`the repair has left ${left[0]?.file}: ${left[0]?.problem}`)
  const { givenUpChanges, agedDocuments, orphanCount } = saved
  return { defects, givenUpChanges, agedDocuments, orphanCount, setAside }
}

async function setDocumentsAside(
  { files, directory }: Place,
  defects: readonly Defect[],
): Promise<string[]> {
  const moved: string[] = []
  const documents = defects.map(({ file }) => file).filter(file => file.endsWith('.json'))
  for (const path of documents.flatMap(path => [path, path + previousSuffix])) {
    if ((await files.read(path)) === undefined) continue
    // The manifest before the last one is of use until there is a new one.
    if (path === manifestPath(directory) + previousSuffix) continue
    await setAside(files, path)
    await files.syncDirectory(dirname(path))
    moved.push(path + damagedSuffix)
  }
  return moved
}

/** Clears the documents of zones that are not in what was saved out of the way. Shards tell nothing of the zone
 *  they belong to, so without its document they are of no use but to people. */
async function setLostZonesAside({ files, directory }: Place, saved: Salvage): Promise<string[]> {
  const moved: string[] = []
  const root = zonesDirectory(directory)
  for (const fan of await files.list(root)) {
    for (const name of await files.list(join(root, fan))) {
      const zoneId = parseShardDirectory(name) ?? parseZoneName(name)
      if (zoneId === undefined || saved.tables.get('zones', zoneId) !== undefined) continue
      const path = join(root, fan, name)
      const aside = path + damagedSuffix
      await files.remove(aside)
      if (saved.deletedZoneIds.has(zoneId)) {
        await files.remove(path)
      } else {
        await files.rename(path, aside)
        moved.push(aside)
      }
    }
    await files.syncDirectory(join(root, fan))
  }
  return moved
}

async function writeDocuments(
  { files, directory }: Place,
  { tables, documents, collections, endLsn }: Salvage,
): Promise<void> {
  const { shardsByZone, shardNumbers } = documents
  for (const shards of shardsByZone.values()) shards.setDirty()
  const pass = new CheckpointPass({
    files,
    directory,
    tables,
    shardsByZone,
    shardNumbers,
    rowsPerShard: defaultRowsPerShard,
    visibleLsn: () => endLsn,
    isStopping: () => false,
  })
  const zoneIds = Array.from(tables.list('zones', 'all', everything), ({ id }) => id)
  const keys: DocumentKey[] = [
    ...collections.map(collection => ({ kind: 'system' as const, collection })),
    ...zoneIds.map(zoneId => ({ kind: 'zone' as const, zoneId })),
  ]
  await pass.writeAll(keys)
  await pass.syncDirectories()
  await pass.writeZoneList({ _lsn: endLsn, ids: zoneIds })
}

/** All that is of use in the journal is in the documents now. What was not usable is kept; an empty segment says
 *  where to go on, so that no number of a lost change is used again. */
async function replaceJournal(place: Place, { lastLsn, spoiledSegments }: Salvage) {
  const { files, directory } = place
  const moved: string[] = []
  for (const { path } of await listSegments(files, directory)) {
    if (spoiledSegments.has(path)) {
      await setAside(files, path)
      moved.push(path + damagedSuffix)
    } else {
      await files.remove(path)
    }
  }
  await files.makeDirectory(journalDirectory(directory))
  const file = await files.create(segmentAt(directory, lastLsn + 1).path)
  await file.close()
  await files.syncDirectory(journalDirectory(directory))
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
