import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { makeDurableDirectory } from '../durable/directories.ts'
import type { Place } from '../durable/file-system.ts'
import { lockDirectory } from '../durable/lock.ts'
import { replaceFile, writeNewFile } from '../durable/replace-file.ts'
import { OperatorError } from '../operator-error.ts'
import { ArchiveError, type ReadArchive, readArchive } from './read-archive.ts'

/** Without it a start refuses the other files, so it is written once all of those are complete. */
const lastName = 'manifest.json'
/** Names that the lock and a new file system create. */
const foreignNames = ['lock', 'lost+found']

/** Writes the files of an archive into an empty directory and verifies each against its sum. All are on the disk when it resolves;
 *  after a failure the directory is empty again, and after a crash no server starts in it.
 *  @throws ArchiveError the archive is not what was written, or from a later version
 *  @throws OperatorError the directory is not empty
 *  @throws StoreLockedError a server runs there */
export async function restoreArchive(
  source: AsyncIterable<Uint8Array>,
  place: Place,
): Promise<ReadArchive> {
  const { files, directory } = place
  await makeDurableDirectory(files, directory)
  const unlock = await lockDirectory(directory)
  try {
    await requireEmpty(place)
    try {
      return await writeAll(source, place)
    } catch (error) {
      for (const name of await ownNames(place)) await files.remove(join(directory, name))
      throw error
    }
  } finally {
    await unlock()
  }
}

async function requireEmpty(place: Place): Promise<void> {
  const [name] = await ownNames(place)
  if (name !== undefined)
    throw new OperatorError(
      `${place.directory} is not empty: it has ${name}. Restore into a new directory, and set ZONEWRIGHT_DATA_DIR to it`,
    )
}

async function ownNames({ files, directory }: Place): Promise<readonly string[]> {
  return (await files.list(directory)).filter(name => !foreignNames.includes(name))
}

async function writeAll(
  source: AsyncIterable<Uint8Array>,
  { files, directory }: Place,
): Promise<ReadArchive> {
  const folders = new Set<string>()
  let last: Buffer = Buffer.alloc(0)
  const read = await readArchive(source, async (name, pieces) => {
    if (name === lastName) {
      last = await buffer(pieces)
      return
    }
    const path = join(directory, name)
    const folder = dirname(path)
    if (!folders.has(folder)) await files.makeDirectory(folder)
    folders.add(folder)
    await writeNewFile(files, path, async file => {
      for await (const piece of pieces) await file.append(piece)
    })
  })
  for (const folder of folders) await makeDurableDirectory(files, folder)
  if (last.length === 0) throw new ArchiveError(`${lastName} is missing`)
  await replaceFile(files, join(directory, lastName), last)
  await files.syncDirectory(directory)
  return read
}
