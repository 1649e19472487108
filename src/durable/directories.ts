import { dirname } from 'node:path'
import type { FileSystem } from './file-system.ts'

/** Creates a directory if it does not exist, and makes its name and every name on the path durable: a file is no safer than the
 *  path to it. An earlier process may have created them without making them durable. */
export async function makeDurableDirectory(files: FileSystem, directory: string): Promise<void> {
  await files.makeDirectory(directory)
  for (let at = directory; ; at = dirname(at)) {
    try {
      await files.syncDirectory(at)
    } catch (error) {
      // A process that may not read a directory did not create its entries.
      if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
    }
    if (at === dirname(at)) return
  }
}
