import { randomUUID } from 'node:crypto'
import { dirname } from 'node:path'
import type { FileSystem } from '../../durable/file-system.ts'
import { readJsonFile } from '../../durable/json-file.ts'
import { replaceFile } from '../../durable/replace-file.ts'
import { isForWantOfRoom } from '../../durable/writability.ts'
import type { Hour } from './tally.ts'

/** As stored in the file of a directory. */
type StoredSource = {
  readonly id: string
  /** The hours before were handed over under the name of the node alone, by an earlier version. */
  readonly fromHour: Hour
}

const remedy =
  'Restore it from a backup, or remove it: hours that are not rated yet may then count twice'

type HourSourceOptions = {
  readonly files: FileSystem
  /** Where the id of the directory is kept. */
  readonly path: string
  /** Where what is metered is kept. */
  readonly meterFolder: string
  readonly node: string
  readonly hour: Hour
}

/** Determines under which name a directory hands over its hours. A source that hands an hour over again replaces what it handed
 *  over before, so each directory is one: two servers with the name of one node, or a node that began anew with an empty
 *  directory, have counted different answers.
 *  @throws DamageError */
export async function openHourSource(options: HourSourceOptions): Promise<(hour: Hour) => string> {
  const { files, path, node } = options
  const stored = await readJsonFile<StoredSource>(files, path, { remedy })
  const { id, fromHour } = stored ?? (await makeSource(options))
  return hour => (hour < fromHour ? node : `${node} ${id}`)
}

/** On a disk without room, the directory is told apart from the next start on. */
async function makeSource(options: HourSourceOptions): Promise<StoredSource> {
  const { files, path, meterFolder, hour } = options
  const hasMetered = (await files.list(meterFolder)).length > 0
  const source = { id: randomUUID(), fromHour: hasMetered ? hour + 1 : 0 }
  try {
    await replaceFile(files, path, Buffer.from(`${JSON.stringify(source)}\n`))
    await files.syncDirectory(dirname(path))
  } catch (error) {
    if (!isForWantOfRoom(error)) throw error
    return { ...source, fromHour: Number.POSITIVE_INFINITY }
  }
  return source
}
