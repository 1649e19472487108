import { FormatError } from '../../format-error.ts'
import type { Name } from '../../name.ts'
import type { Field } from '../field.ts'
import { parseInteger } from './integers.ts'
import { formatIpv6, ipv6Octets, parseIpv6 } from './ipv6.ts'
import { name } from './name.ts'

const maxPrefixBits = 128

/** The end of an IPv6 address, and the name that has its beginning (RFC 2874 section 3.1). */
type PartialAddress = {
  readonly prefixBits: number
  /** The octets of the address that the prefix does not cover in whole; the bits it covers are zero. */
  readonly suffix: Uint8Array
  /** Absent where there is no prefix. */
  readonly prefixName?: Name
}

export const partialAddress: Field<PartialAddress> = {
  decode(reader) {
    const at = reader.offset
    const prefixBits = reader.u8()
    if (prefixBits > maxPrefixBits) throw new FormatError(`a prefix of ${prefixBits} bits at ${at}`)
    const suffix = reader.take(suffixOctets(prefixBits)).slice()
    const coveredBits = prefixBits % 8
    if (coveredBits > 0 && (suffix[0] ?? 0) >>> (8 - coveredBits) !== 0) {
      throw new FormatError(`a suffix with bits of the prefix at offset ${at}`)
    }
    return prefixBits === 0
      ? { prefixBits, suffix }
      : { prefixBits, suffix, prefixName: name.decode(reader) }
  },
  encode({ prefixBits, suffix, prefixName }, writer) {
    writer.u8(prefixBits)
    writer.octets(suffix)
    if (prefixName !== undefined) name.encode(prefixName, writer)
  },
  parse(text) {
    const prefixBits = parseInteger(text, maxPrefixBits)
    const suffix = prefixBits === maxPrefixBits ? new Uint8Array() : parseSuffix(prefixBits, text)
    return prefixBits === 0
      ? { prefixBits, suffix }
      : { prefixBits, suffix, prefixName: name.parse(text) }
  },
  format({ prefixBits, suffix, prefixName }) {
    const octets = new Uint8Array(ipv6Octets)
    octets.set(suffix, ipv6Octets - suffix.length)
    const words = [String(prefixBits)]
    if (suffix.length > 0) words.push(formatIpv6(octets))
    if (prefixName !== undefined) words.push(name.format(prefixName))
    return words.join(' ')
  },
}

function suffixOctets(prefixBits: number): number {
  return ipv6Octets - Math.floor(prefixBits / 8)
}

function parseSuffix(prefixBits: number, text: Parameters<typeof name.parse>[0]): Uint8Array {
  const address = text.nextAs('an IPv6 address', parseIpv6)
  const suffix = address.slice(ipv6Octets - suffixOctets(prefixBits))
  // Bits that the prefix covers do not count (RFC 2874 section 3.1.2).
  if (suffix[0] !== undefined) suffix[0] &= 0xff >>> (prefixBits % 8)
  return suffix
}
