import { DamageError } from './damage.ts'
import type { FileSystem } from './file-system.ts'

/** Reads a small file that was written whole, as JSON; undefined if there is none.
 *  @throws DamageError it is not JSON */
export async function readJsonFile<T>(
  files: Pick<FileSystem, 'read'>,
  path: string,
  { remedy }: { readonly remedy: string },
): Promise<T | undefined> {
  const octets = await files.read(path)
  if (octets === undefined) return undefined
  try {
    return JSON.parse(octets.toString()) as T
  } catch {
    throw new DamageError(path, { problem: 'it is not JSON', remedy })
  }
}
