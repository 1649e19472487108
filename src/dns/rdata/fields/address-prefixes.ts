import { FormatError } from '../../format-error.ts'
import { clipText } from '../../presentation.ts'
import type { Reader } from '../../reader.ts'
import { formatIpv4, ipv4Octets, parseIpv4 } from './ipv4.ts'
import { formatIpv6, ipv6Octets, parseIpv6 } from './ipv6.ts'
import { listOf } from './list-of.ts'

/** One item of an APL record (RFC 3123 section 4). */
type AddressPrefix = {
  /** 1 is IPv4, 2 is IPv6. */
  readonly family: number
  readonly prefixLength: number
  readonly isNegated: boolean
  /** Without the zero octets it would end in. */
  readonly address: Uint8Array
}

/** `1:192.0.2.0/24 !2:2001:db8::/32`, to the end; may be none. */
export const addressPrefixes = listOf<AddressPrefix>({
  decode: decodePrefix,
  encode({ family, prefixLength, isNegated, address }, writer) {
    writer.u16(family)
    writer.u8(prefixLength)
    writer.u8((isNegated ? negation : 0) | address.length)
    writer.octets(address)
  },
  parse: text => parsePrefix(text.next('a prefix').raw),
  format: formatPrefix,
})

/** Describes a value without a text form: no item at all, another family, or a prefix longer than its addresses. */
export function findPrefixFault(prefixes: readonly AddressPrefix[]): string | undefined {
  if (prefixes.length === 0) return 'a prefix is missing (an empty list is written \\# 0)'
  for (const { family, prefixLength, address } of prefixes) {
    const form = forms.get(family)
    if (form === undefined) return `the family is 1 or 2, ${family} was found`
    if (prefixLength > 8 * form.octets || address.length > form.octets) {
      return `a prefix of family ${family} has at most ${8 * form.octets} bits`
    }
  }
  return undefined
}

type AddressForm = {
  readonly octets: number
  readonly parse: (text: string) => Uint8Array | undefined
  readonly format: (octets: Uint8Array) => string
}

/** By address family (IANA Address Family Numbers). */
const forms: ReadonlyMap<number, AddressForm> = new Map([
  [1, { octets: ipv4Octets, parse: parseIpv4, format: octets => formatIpv4(octets) }],
  [2, { octets: ipv6Octets, parse: parseIpv6, format: formatIpv6 }],
])

const negation = 0x80
const item = /^(!?)(\d{1,5}):([0-9a-f:.]+)\/(\d{1,3})$/i

function decodePrefix(reader: Reader): AddressPrefix {
  const at = reader.offset
  const family = reader.u16()
  const prefixLength = reader.u8()
  const octet = reader.u8()
  const address = reader.take(octet & ~negation)
  // RFC 3123 section 4: no zero octets at the end, so a prefix has one wire form.
  if (address.at(-1) === 0) throw new FormatError(`a prefix ends in zeros at offset ${at}`)
  return { family, prefixLength, isNegated: octet >= negation, address }
}

function parsePrefix(raw: string): AddressPrefix {
  const [, mark, family = '', text = '', prefixLength = ''] = item.exec(raw) ?? []
  const address = forms.get(Number(family))?.parse(text)
  if (address === undefined) {
    throw new FormatError(
      `APL: expected 1:192.0.2.0/24 or 2:2001:db8::/32, found '${clipText(raw)}'`,
    )
  }
  const lastOctet = address.findLastIndex(octet => octet !== 0)
  return {
    family: Number(family),
    prefixLength: Number(prefixLength),
    isNegated: mark === '!',
    address: address.subarray(0, lastOctet + 1),
  }
}

function formatPrefix({ family, prefixLength, isNegated, address }: AddressPrefix): string {
  const form = forms.get(family)
  const whole = new Uint8Array(form?.octets ?? 0)
  whole.set(address)
  return `${isNegated ? '!' : ''}${family}:${form?.format(whole)}/${prefixLength}`
}
