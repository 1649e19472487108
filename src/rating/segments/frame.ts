import { crc32 } from 'node:zlib'

// Everything in the store's files stands in frames, so that damage is seen before it is believed:
//
//   "ZwRf" | octets of the payload u32 | CRC-32 of the payload u32 | payload

const magic = Buffer.from('ZwRf')
export const frameHeaderLength = 12

/** The octets to write before a payload. */
export function frameHeader(payload: Buffer): Buffer {
  const header = Buffer.alloc(frameHeaderLength)
  magic.copy(header)
  header.writeUInt32LE(payload.length, 4)
  header.writeUInt32LE(crc32(payload), 8)
  return header
}

/** The payload of the frame that begins at `at`, not copied; undefined where no whole and sound frame does. */
export function framePayload(bytes: Buffer, at = 0): Buffer | undefined {
  const start = at + frameHeaderLength
  if (start > bytes.length || bytes.compare(magic, 0, 4, at, at + 4) !== 0) return undefined
  const payload = bytes.subarray(start, start + bytes.readUInt32LE(at + 4))
  const isWhole = payload.length === bytes.readUInt32LE(at + 4)
  return isWhole && crc32(payload) === bytes.readUInt32LE(at + 8) ? payload : undefined
}

/** Reads the frames of an append-only file. `length` is where the last sound one ends: what follows is the torn
 *  end of a write that was never acknowledged.
 *  @throws DamagedFileError a sound frame follows an unsound one: that is not a torn end */
export function readFrames(bytes: Buffer): { payloads: readonly Buffer[]; length: number } {
  const payloads: Buffer[] = []
  let length = 0
  for (;;) {
    const payload = framePayload(bytes, length)
    if (payload === undefined) break
    payloads.push(payload)
    length += frameHeaderLength + payload.length
  }
  let next = bytes.indexOf(magic, length + 1)
  while (next !== -1 && framePayload(bytes, next) === undefined)
    next = bytes.indexOf(magic, next + 1)
  if (next !== -1) {
    throw new DamagedFileError(`damaged between octets ${length} and ${next}`)
  }
  return { payloads, length }
}

/** A file does not hold what was written to it. */
export class DamagedFileError extends Error {
  override readonly name = 'DamagedFileError'
}
