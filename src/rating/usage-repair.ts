import { join } from 'node:path'
import { DamageError, type Defect, damagedSuffix } from '../durable/damage.ts'
import type { FileSystem, Place } from '../durable/file-system.ts'
import { mendedEnd } from '../durable/log-recovery.ts'
import { partsOf } from '../durable/log-segment.ts'
import { replaceFile } from '../durable/replace-file.ts'
import { UsageJournal } from './metering/usage-journal.ts'
import { listLog, repairOlderJournal } from './segments/older-journal.ts'
import { checkPoints, type OnMended, repairPoints } from './segments/point-repair.ts'

/** Where usage is kept, below the data directory. */
export const usageFolders = { points: 'rating', hours: 'usage/hours', meter: 'usage/journal' }

/** The findings of a repair of usage, and where the files are that it has set aside. */
export type UsageRepair = {
  readonly defects: readonly Defect[]
  readonly setAside: readonly string[]
}

/** Reads all files of usage and lists the damage; changes nothing. No process may have the files open.
 *  @param onMended called with what the next start does away with */
export async function checkUsage(
  { files, directory }: Place,
  onMended?: OnMended,
): Promise<readonly Defect[]> {
  return [
    ...(await checkPoints(files, join(directory, usageFolders.points), onMended)),
    ...(await checkPoints(files, join(directory, usageFolders.hours), onMended)),
    ...(await checkMeter(files, join(directory, usageFolders.meter), onMended)),
  ]
}

/** Gives up the damaged parts of usage to keep the rest. It can be run again after an interruption at any point. */
export async function repairUsage(location: Place): Promise<UsageRepair> {
  const { files, directory } = location
  const defects: Defect[] = []
  const setAside: string[] = []
  for (const name of [usageFolders.points, usageFolders.hours]) {
    const folder = join(directory, name)
    const found = await checkPoints(files, folder)
    defects.push(...found)
    setAside.push(...(await repairPoints(files, folder, found)))
  }
  const meter = join(directory, usageFolders.meter)
  for (;;) {
    const [defect] = await checkMeter(files, meter)
    if (defect === undefined) break
    defects.push(defect)
    setAside.push(await repairMeter(files, meter, defect.file))
  }
  const left = await checkUsage(location)
  if (left.length > 0) throw new Error(`the repair has left ${left[0]?.file}: ${left[0]?.problem}`)
  return { defects, setAside }
}

/** Checks only the segment that a start would read. */
async function checkMeter(
  files: FileSystem,
  folder: string,
  onMended?: OnMended,
): Promise<readonly Defect[]> {
  try {
    const { cut } = await UsageJournal.open(files, folder)
    if (cut !== undefined) onMended?.(mendedEnd(cut))
    return []
  } catch (error) {
    if (error instanceof DamageError) return [{ file: error.file, problem: error.problem }]
    // The octets are sound but make no sense: the log was written by a newer program, or by a defect.
    throw new DamageError(folder, { problem: String(error) })
  }
}

/** Keeps the accounts before the damage: each account builds on those written before it. A segment that is sound in itself, and
 *  none of this log, is only set aside. */
async function repairMeter(files: FileSystem, folder: string, path: string): Promise<string> {
  await files.link(path, path + damagedSuffix)
  const segment = (await listLog(files, folder)).find(each => each.path === path)
  if (segment?.octets !== undefined) await repairOlderJournal(files, path)
  else {
    // One that cannot be read has nothing to keep.
    const octets = (await files.read(path).catch(() => undefined)) ?? Buffer.alloc(0)
    const damage = [...partsOf(octets)].find(({ kind }) => kind === 'unsound')
    if (damage === undefined) await files.remove(path)
    else await replaceFile(files, path, octets.subarray(0, damage.at))
  }
  await files.syncDirectory(folder)
  return path + damagedSuffix
}
