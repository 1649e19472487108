import { dirname } from 'node:path'
import type { FileSystem } from './file-system.ts'

/** The generation before a file's last replacement. */
export const previousSuffix = '.prev'
/** A file that is being written. */
export const temporarySuffix = '.tmp'

export type ReplaceOptions = {
  /** Keeps what is replaced beside, with `previousSuffix`. */
  readonly keepsPrevious?: true
}

/** Puts a file in the place of another at once: whatever happens, the path has the old content or all of the new. The
 *  octets are on the disk when it resolves; the name is when the directory is synced. A failure changes nothing. */
export async function replaceFile(
  files: FileSystem,
  path: string,
  octets: Uint8Array,
  options: ReplaceOptions = {},
): Promise<void> {
  const temporary = path + temporarySuffix
  await files.makeDirectory(dirname(path))
  try {
    const file = await files.create(temporary)
    try {
      await file.append(octets)
      await file.sync()
    } finally {
      await file.close()
    }
    if (options.keepsPrevious) await files.link(path, path + previousSuffix)
    await files.rename(temporary, path)
  } catch (error) {
    // On a full disk it is in the way of everything else.
    await files.remove(temporary).catch(() => undefined)
    throw error
  }
}
