// A UUID as 32-bit words: four words hold what takes 36 characters, in the same order.

/** Words of a UUID. */
export const uuidWords = 4

/** Characters of its text. */
export const uuidLength = 36
const dash = 0x2d
/** Where each word's digits are in the text, four octets of two digits each. */
const digitPlaces = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const
const dashPlaces = [8, 13, 18, 23] as const

/** The value of a digit by its character code; non-digits, including capital letters, have a bit above the four. */
const notDigit = 0x10
const valueOfCode = new Uint8Array(256).fill(notDigit)
/** The codes of both digits of an octet. */
const codesOfOctet = new Uint16Array(256)
for (let value = 0; value < 16; value += 1)
  valueOfCode['0123456789abcdef'.charCodeAt(value)] = value
for (let octet = 0; octet < 256; octet += 1) {
  const [high = '', low = ''] = octet.toString(16).padStart(2, '0')
  codesOfOctet[octet] = (high.charCodeAt(0) << 8) | low.charCodeAt(0)
}

/** Writes a UUID into `words` at `at`; returns false, with undefined content there, where the text is not a UUID in the
 *  usual form and lower case. */
export function writeUuid(words: Uint32Array, at: number, text: string): boolean {
  if (text.length !== uuidLength) return false
  for (const place of dashPlaces) if (text.charCodeAt(place) !== dash) return false
  let faults = 0
  for (let word = 0; word < uuidWords; word += 1) {
    let value = 0
    for (let octet = 0; octet < 4; octet += 1) {
      const place = digitPlaces[4 * word + octet] ?? 0
      const high = valueOfDigit(text.charCodeAt(place))
      const low = valueOfDigit(text.charCodeAt(place + 1))
      faults |= high | low
      value = (value << 8) | (high << 4) | low
    }
    words[at + word] = value
  }
  return (faults & notDigit) === 0
}

/** Writes the text of a UUID from `writeUuid` to the beginning of `octets`, one octet per character. */
export function formatUuid(words: Uint32Array, at: number, octets: Buffer): void {
  for (let word = 0; word < uuidWords; word += 1) {
    const value = words[at + word] ?? 0
    for (let octet = 0; octet < 4; octet += 1) {
      const place = digitPlaces[4 * word + octet] ?? 0
      const codes = codesOfOctet[(value >>> (24 - 8 * octet)) & 0xff] ?? 0
      octets[place] = codes >>> 8
      octets[place + 1] = codes & 0xff
    }
  }
  for (const place of dashPlaces) octets[place] = dash
}

const scratch = Buffer.alloc(uuidLength)

/** Reads a UUID that `writeUuid` has written. */
export function readUuid(words: Uint32Array, at: number): string {
  formatUuid(words, at, scratch)
  return scratch.toString('latin1', 0, uuidLength)
}

/** Orders two UUIDs in the order of their texts. */
export function compareUuids(
  left: { readonly words: Uint32Array; readonly at: number },
  right: { readonly words: Uint32Array; readonly at: number },
): number {
  for (let word = 0; word < uuidWords; word += 1) {
    // Not as a pair: that would be an array with two numbers on the heap for each word.
    const a = left.words[left.at + word] as number
    const b = right.words[right.at + word] as number
    if (a !== b) return a - b
  }
  return 0
}

function valueOfDigit(code: number): number {
  return code < valueOfCode.length ? (valueOfCode[code] ?? notDigit) : notDigit
}
