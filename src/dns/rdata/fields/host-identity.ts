import { FormatError } from '../../format-error.ts'
import type { Field } from '../field.ts'
import { formatBase64, parseBase64 } from './base64.ts'
import { formatHex } from './hex.ts'
import { parseInteger } from './integers.ts'

/** A host's tag and key. On the wire their lengths come first, which the text does not have (RFC 8005 section 5). */
type HostIdentity = {
  readonly algorithm: number
  readonly tag: Uint8Array
  readonly publicKey: Uint8Array
}

export const hostIdentity: Field<HostIdentity> = {
  decode(reader) {
    const at = reader.offset
    const tagOctets = reader.u8()
    const algorithm = reader.u8()
    const keyOctets = reader.u16()
    if (tagOctets === 0 || keyOctets === 0) {
      throw new FormatError(`a host identity without tag or key at offset ${at}`)
    }
    return { algorithm, tag: reader.take(tagOctets), publicKey: reader.take(keyOctets) }
  },
  encode({ algorithm, tag, publicKey }, writer) {
    writer.u8(tag.length)
    writer.u8(algorithm)
    writer.u16(publicKey.length)
    writer.octets(tag)
    writer.octets(publicKey)
  },
  parse(text) {
    const algorithm = parseInteger(text, 0xff)
    const { raw: digits } = text.next('hex digits')
    if (!tagDigits.test(digits)) throw text.fault('hex digits of 1 to 255 octets', digits)
    const publicKey = text.nextAs('base64', key => {
      const octets = parseBase64(key)
      return octets && octets.length > 0 && octets.length <= 0xffff ? octets : undefined
    })
    return { algorithm, tag: Buffer.from(digits, 'hex'), publicKey }
  },
  format: ({ algorithm, tag, publicKey }) =>
    `${algorithm} ${formatHex(tag)} ${formatBase64(publicKey)}`,
}

const tagDigits = /^(?:[0-9a-f]{2}){1,255}$/i
