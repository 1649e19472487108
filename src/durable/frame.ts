import { crc32 } from 'node:zlib'

// A frame says how long it is and what its octets add up to, so damage is seen before it is believed:
//
//   "ZwRf" | octets of the payload u32 | CRC-32 of the payload u32 | payload
//
// A payload is never empty: its frame would be what a loss of power may make of any, the magic and then zeros.

const magic = Buffer.from('ZwRf')
export const frameHeaderLength = 12

/** Puts a payload in a frame. */
export function frameOf(payload: Buffer): Buffer {
  const header = Buffer.alloc(frameHeaderLength)
  magic.copy(header)
  header.writeUInt32LE(payload.length, 4)
  header.writeUInt32LE(crc32(payload), 8)
  return Buffer.concat([header, payload])
}

/** The payload of the frame that begins at `at`, not copied; undefined where no whole and sound frame does. */
export function framePayload(octets: Buffer, at = 0): Buffer | undefined {
  const start = at + frameHeaderLength
  if (start > octets.length || octets.compare(magic, 0, 4, at, at + 4) !== 0) return undefined
  const payload = octets.subarray(start, start + octets.readUInt32LE(at + 4))
  const isWhole = payload.length === octets.readUInt32LE(at + 4)
  return isWhole && payload.length > 0 && crc32(payload) === octets.readUInt32LE(at + 8)
    ? payload
    : undefined
}

/** Octets of the frame that seems to begin at `at`, sound or not; undefined where none does. */
export function frameLengthAt(octets: Buffer, at: number): number | undefined {
  if (at + frameHeaderLength > octets.length) return undefined
  if (octets.compare(magic, 0, magic.length, at, at + magic.length) !== 0) return undefined
  return frameHeaderLength + octets.readUInt32LE(at + 4)
}

/** The frames at the beginning of an append-only file. */
export type Frames = {
  readonly payloads: readonly Buffer[]
  /** Where the last sound one ends: what follows is the torn end of a write that was never acknowledged. */
  readonly lengthOctets: number
  /** Where a sound frame follows what is not one: that is damage and no torn end. Undefined where none does. */
  readonly laterAt: number | undefined
}

/** Reads the frames of an append-only file up to the first that is not sound. */
export function readFrames(octets: Buffer): Frames {
  const payloads: Buffer[] = []
  let lengthOctets = 0
  for (;;) {
    const payload = framePayload(octets, lengthOctets)
    if (payload === undefined) break
    payloads.push(payload)
    lengthOctets += frameHeaderLength + payload.length
  }
  let next = octets.indexOf(magic, lengthOctets + 1)
  while (next !== -1 && framePayload(octets, next) === undefined)
    next = octets.indexOf(magic, next + 1)
  return { payloads, lengthOctets, laterAt: next === -1 ? undefined : next }
}

/** The sound frames of a file, whatever is between them. */
export function soundFrames(octets: Buffer): readonly Buffer[] {
  const payloads: Buffer[] = []
  for (let at = 0; at >= 0; at = octets.indexOf(magic, at)) {
    const payload = framePayload(octets, at)
    if (payload !== undefined) payloads.push(payload)
    at += payload === undefined ? 1 : frameHeaderLength + payload.length
  }
  return payloads
}
