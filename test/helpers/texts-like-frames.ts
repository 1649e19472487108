import { frameOf } from '../../src/durable/frame.ts'
import { uuidWords, writeUuid } from '../../src/model/uuid-words.ts'

/** Values of a TXT recordset that contain, at every offset within a word, the frame of a segment that deletes a recordset. */
export function textsLikeFrames(deletedId: string): readonly string[] {
  const words = new Uint32Array(1 + uuidWords)
  words[0] = 2
  writeUuid(words, 1, deletedId)
  const text = textOf(frameOf(Buffer.from(words.buffer)))
  return ['', '.', '..', '...'].map(before => `"${before}${text}"`)
}

/** Octets in the presentation form of a string, as the server prints it. */
export function textOf(octets: Buffer): string {
  const parts = Array.from(octets, octet => {
    const character = String.fromCharCode(octet)
    if (character === '"' || character === '\\') return `\\${character}`
    return octet >= 0x20 && octet < 0x7f ? character : `\\${String(octet).padStart(3, '0')}`
  })
  return parts.join('')
}
