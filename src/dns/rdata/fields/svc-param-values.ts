import { FormatError } from '../../format-error.ts'
import { clipText, quoteText } from '../../presentation.ts'
import { formatBase64, parseBase64 } from './base64.ts'
import { formatIpv4, ipv4Octets, parseIpv4 } from './ipv4.ts'
import { formatIpv6, ipv6Octets, parseIpv6 } from './ipv6.ts'
import { latin1 } from './strings.ts'
import { svcParamKey, svcParamKeyName } from './svc-param-key.ts'

// The values of service parameters, key by key. Both a wire value and an unescaped text are octets, kept as
// characters 0x00 to 0xff.

type ValueForm = {
  /** Returns the wire value. @throws FormatError */
  parse(text: string): string
  /** Returns what follows `=`, empty for nothing. @throws FormatError not such a value. */
  format(octets: string): string
}

/** Returns the wire value of the text that followed `keyName=`.
 *  @throws FormatError the key asks for another form. */
export function parseSvcParamValue(keyName: string, text: string): string {
  const form = forms.get(keyName)
  if (form !== undefined) return form.parse(text)
  // `key1=…` is the wire value of alpn as it stands (RFC 9460 section 2.1): right if it can be written.
  formatSvcParamValue(svcParamKey(keyName) ?? -1, text)
  return text
}

/** Returns what follows `key=`, quoted where it must be; empty for a key without a value.
 *  @throws FormatError the key asks for another form. */
export function formatSvcParamValue(key: number, octets: string): string {
  return (forms.get(svcParamKeyName(key)) ?? textForm).format(octets)
}

/** Returns the keys that `mandatory` lists.
 *  @throws FormatError none, out of order, or itself (RFC 9460 section 8). */
export function decodeMandatory(octets: string): number[] {
  const keys: number[] = []
  for (let at = 0; at < octets.length; at += 2) {
    const key = decode16(octets, at)
    if (key <= (keys.at(-1) ?? 0)) throw refusal('mandatory', 'ascending keys, not itself', octets)
    keys.push(key)
  }
  if (keys.length === 0) throw refusal('mandatory', 'keys', octets)
  return keys
}

/** Returns the protocols that `alpn` lists.
 *  @throws FormatError one is empty or cut off (RFC 9460 section 7.1.1) */
export function decodeAlpn(octets: string): string[] {
  const ids: string[] = []
  for (let at = 0; at < octets.length; ) {
    const next = at + 1 + octets.charCodeAt(at)
    ids.push(octets.slice(at + 1, next))
    at = next
    if (ids.at(-1) === '' || next > octets.length) throw refusal('alpn', 'protocols', octets)
  }
  return ids
}

const mandatoryForm: ValueForm = {
  parse(text) {
    const keys = splitList(text).map(name => {
      const key = svcParamKey(name)
      if (key === undefined) throw refusal('mandatory', 'the names of keys', name)
      return key
    })
    const octets = keys
      .sort((left, right) => left - right)
      .map(encode16)
      .join('')
    decodeMandatory(octets)
    return octets
  },
  format: octets => decodeMandatory(octets).map(svcParamKeyName).join(','),
}

/** Protocol identifiers, each behind a length octet (RFC 9460 section 7.1.1). */
const alpnForm: ValueForm = {
  parse(text) {
    const ids = splitList(text)
    if (ids.some(id => id.length === 0 || id.length > 255)) {
      throw refusal('alpn', 'protocols of 1 to 255 octets', text)
    }
    return ids.map(id => String.fromCharCode(id.length) + id).join('')
  },
  format(octets) {
    const ids = decodeAlpn(octets)
    if (ids.length === 0) throw refusal('alpn', 'protocols', octets)
    return wordOrQuoted(ids.map(id => id.replace(/[\\,]/g, '\\$&')).join(','))
  },
}

const portForm: ValueForm = {
  parse(text) {
    if (!/^\d{1,5}$/.test(text) || Number(text) > 0xffff) {
      throw refusal('port', 'a number from 0 to 65535', text)
    }
    return encode16(Number(text))
  },
  format(octets) {
    if (octets.length !== 2) throw refusal('port', 'two octets', octets)
    return String(decode16(octets, 0))
  },
}

const echForm: ValueForm = {
  parse(text) {
    const octets = parseBase64(text)
    if (octets === undefined || octets.length === 0) throw refusal('ech', 'base64', text)
    return latin1(octets)
  },
  format(octets) {
    if (octets === '') throw refusal('ech', 'a configuration', octets)
    return formatBase64(Buffer.from(octets, 'latin1'))
  },
}

/** RFC 9461 section 5: a relative URI template with the variable `dns`. */
const dohpathForm: ValueForm = {
  parse: requireDohpath,
  format: octets => wordOrQuoted(requireDohpath(octets)),
}

const textForm: ValueForm = {
  parse: text => text,
  format: octets => (octets === '' ? '' : wordOrQuoted(octets)),
}

const forms = new Map<string, ValueForm>([
  ['mandatory', mandatoryForm],
  ['alpn', alpnForm],
  ['no-default-alpn', emptyForm('no-default-alpn')],
  ['port', portForm],
  ['ipv4hint', addressesForm('ipv4hint', ipv4Octets, parseIpv4, formatIpv4)],
  ['ech', echForm],
  ['ipv6hint', addressesForm('ipv6hint', ipv6Octets, parseIpv6, formatIpv6)],
  ['dohpath', dohpathForm],
  ['ohttp', emptyForm('ohttp')],
])

function emptyForm(keyName: string): ValueForm {
  function requireEmpty(octets: string): string {
    if (octets !== '') throw refusal(keyName, 'no value', octets)
    return octets
  }
  return { parse: requireEmpty, format: requireEmpty }
}

function addressesForm(
  keyName: string,
  addressOctets: number,
  parse: (text: string) => Uint8Array | undefined,
  format: (octets: Uint8Array) => string,
): ValueForm {
  return {
    parse(text) {
      const addresses = splitList(text).map(item => {
        const address = parse(item)
        if (address === undefined) throw refusal(keyName, 'addresses', item)
        return latin1(address)
      })
      return addresses.join('')
    },
    format(octets) {
      if (octets === '' || octets.length % addressOctets !== 0) {
        throw refusal(keyName, `addresses of ${addressOctets} octets`, octets)
      }
      const all = Buffer.from(octets, 'latin1')
      const addresses: string[] = []
      for (let at = 0; at < all.length; at += addressOctets) {
        addresses.push(format(all.subarray(at, at + addressOctets)))
      }
      return addresses.join(',')
    },
  }
}

function requireDohpath(octets: string): string {
  const expressions = octets.match(/\{[^{}]*\}/g) ?? []
  const hasVariable = expressions.some(expression => /\bdns\b/.test(expression))
  if (octets.startsWith('/') && hasVariable) return octets
  throw refusal('dohpath', 'a path with the variable {?dns}', octets)
}

/** Splits at commas; `\,` and `\\` stand for themselves (RFC 9460 appendix A.1). */
function splitList(text: string): string[] {
  const items = ['']
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at)
    if (character === ',') {
      items.push('')
      continue
    }
    const isEscaped = character === '\\' && at + 1 < text.length
    if (isEscaped) at += 1
    items[items.length - 1] += isEscaped ? text.charAt(at) : character
  }
  return items
}

/** Omits the quotes where neither the value nor a zone file needs them. */
function wordOrQuoted(octets: string): string {
  return /^[!#-'*-:<-[\]-~]+$/.test(octets) ? octets : quoteText(octets)
}

function decode16(octets: string, at: number): number {
  if (at + 2 > octets.length) throw refusal('a key', 'two octets', octets)
  return (octets.charCodeAt(at) << 8) | octets.charCodeAt(at + 1)
}

function encode16(value: number): string {
  return String.fromCharCode(value >>> 8, value & 0xff)
}

function refusal(keyName: string, expected: string, found: string): FormatError {
  return new FormatError(`${keyName}: expected ${expected}, found ${clipText(quoteText(found))}`)
}
