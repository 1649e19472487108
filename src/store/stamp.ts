import { checksum } from '../durable/checksum.ts'
import type { Place } from '../durable/file-system.ts'
import { listLog } from './commit-log.ts'
import { manifestPath } from './manifest.ts'

/** Of each segment of the log: a few commits at least. */
const tailOctets = 2 ** 16

/** Tells the state of a closed store from any other that it had or will have: what has been derived from it is good
 *  for as long as this is the same. Undefined where there is no store. */
export async function storeStamp(place: Place): Promise<string | undefined> {
  const { files, directory } = place
  const manifest = await files.read(manifestPath(directory))
  if (manifest === undefined) return undefined
  const parts = [checksum(manifest)]
  for (const { path, first } of await listLog(place)) {
    const octets = await files.size(path)
    const tail = await files.readPiece(path, Math.max(0, octets - tailOctets), tailOctets)
    parts.push(`${first}:${octets}:${checksum(tail)}`)
  }
  return parts.join(' ')
}
