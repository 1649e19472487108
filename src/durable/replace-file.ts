import { dirname } from 'node:path'
import type { AppendFile, FileSystem } from './file-system.ts'

/** Suffix of a file's content before its last replacement. */
export const previousSuffix = '.prev'
/** Suffix of a file that is being written. */
export const temporarySuffix = '.tmp'

/** Writes a file, in place of any of that name. Its octets are on the disk when it resolves; the name is durable once the directory
 *  is synced. */
export async function writeNewFile(
  files: FileSystem,
  path: string,
  write: (file: AppendFile) => Promise<void>,
): Promise<void> {
  const file = await files.create(path)
  try {
    await write(file)
    await file.sync()
  } finally {
    await file.close()
  }
}

type ReplaceOptions = {
  /** Keeps the replaced file beside, with `previousSuffix`. */
  readonly keepsPrevious?: true
}

/** Replaces a file atomically: whatever happens, the path has the old content or all of the new. The octets are on the disk when
 *  it resolves; the name is durable once the directory is synced. A failure changes nothing. */
export async function replaceFile(
  files: FileSystem,
  path: string,
  octets: Uint8Array,
  options: ReplaceOptions = {},
): Promise<void> {
  const temporary = path + temporarySuffix
  await files.makeDirectory(dirname(path))
  try {
    await writeNewFile(files, temporary, file => file.append(octets))
    if (options.keepsPrevious) await files.link(path, path + previousSuffix)
    await files.rename(temporary, path)
  } catch (error) {
    // On a full disk it takes room that other files need.
    await files.remove(temporary).catch(() => undefined)
    throw error
  }
}
