import { crc32 } from 'node:zlib'
import { atOnce, type Steps } from '../time-slice.ts'

// A frame contains its length and a checksum, so damage is detected before the payload is used:
//
//   mark, 4 octets | octets of the payload u32 | CRC-32 of the payload u32 | payload
//
// A payload is never empty: its frame would be the mark and then zeros, which is what a loss of power may leave of any frame. Where
// frames are searched for among octets from clients, the mark is secret, so that nothing they send can be taken for one.

/** The mark of frames that are never searched for among other octets. */
const usualMark: Buffer = Buffer.from('ZwRf')
const markLength = usualMark.length
export const frameHeaderLength = markLength + 8

/** Octets that are added to a checksum in one step. */
const octetsOfStep = 2 ** 18

/** Puts a payload in a frame. */
export function frameOf(payload: Buffer, mark = usualMark): Buffer {
  const frame = Buffer.allocUnsafe(frameHeaderLength + payload.length)
  payload.copy(frame, frameHeaderLength)
  return sealFrame(frame, mark)
}

/** Makes a frame in place from octets with room for its header before the payload. */
export function sealFrame(octets: Buffer, mark = usualMark): Buffer {
  return atOnce(sealSteps(octets, mark))
}

/** As `sealFrame`, in small steps. */
export function* sealSteps(octets: Buffer, mark = usualMark): Steps<Buffer> {
  const payload = octets.subarray(frameHeaderLength)
  let checksum = 0
  for (let at = 0; at < payload.length; at += octetsOfStep) {
    checksum = crc32(payload.subarray(at, at + octetsOfStep), checksum)
    yield
  }
  mark.copy(octets)
  octets.writeUInt32LE(payload.length, markLength)
  octets.writeUInt32LE(checksum, markLength + 4)
  return octets
}

/** The payload of the frame that begins at `at`, not copied; undefined if no whole and sound frame begins there. */
export function framePayload(octets: Buffer, at = 0, mark = usualMark): Buffer | undefined {
  const length = frameLengthAt(octets, at, mark) ?? frameHeaderLength
  if (length === frameHeaderLength || at + length > octets.length) return undefined
  const payload = octets.subarray(at + frameHeaderLength, at + length)
  return crc32(payload) === octets.readUInt32LE(at + markLength + 4) ? payload : undefined
}

/** The length stated by the frame that begins at `at`; undefined if none begins there. */
export function frameLengthAt(octets: Buffer, at: number, mark = usualMark): number | undefined {
  const isThere =
    at + frameHeaderLength <= octets.length &&
    octets.compare(mark, 0, markLength, at, at + markLength) === 0
  return isThere ? frameHeaderLength + octets.readUInt32LE(at + markLength) : undefined
}

/** Where the next sound frame at or after `at` begins; undefined if there is none. */
export function nextFrameAt(octets: Buffer, at: number, mark = usualMark): number | undefined {
  for (let next = octets.indexOf(mark, at); next >= 0; next = octets.indexOf(mark, next + 1))
    if (framePayload(octets, next, mark) !== undefined) return next
  return undefined
}
