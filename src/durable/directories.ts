import { dirname } from 'node:path'
import type { FileSystem } from './file-system.ts'

/** Makes a directory where it does not exist, and makes its name and every name on the way there durable: a file is no
 *  safer than the path to it. That a process before this one made them does not mean that they are. */
export async function makeDurableDirectory(files: FileSystem, directory: string): Promise<void> {
  await files.makeDirectory(directory)
  for (let at = directory; ; at = dirname(at)) {
    try {
      await files.syncDirectory(at)
    } catch (error) {
      // Whoever may not read it did not make what is in it.
      if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
    }
    if (at === dirname(at)) return
  }
}
