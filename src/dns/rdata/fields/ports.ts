import { FormatError } from '../../format-error.ts'
import type { Field } from '../field.ts'
import { parseInteger } from './integers.ts'

const maxOctets = 8192

/** A set of ports, ascending, a bit each, without zero octets at the end; may be empty (RFC 1035 section 3.4.2). */
export const ports: Field<readonly number[]> = {
  decode(reader) {
    const at = reader.offset
    const bitmap = reader.takeRest()
    if (bitmap.length > maxOctets || bitmap.at(-1) === 0) {
      throw new FormatError(`a broken set of ports at offset ${at}`)
    }
    const all: number[] = []
    bitmap.forEach((octet, index) => {
      for (let bit = 0; bit < 8; bit += 1) {
        if ((octet & (0x80 >>> bit)) !== 0) all.push(8 * index + bit)
      }
    })
    return all
  },
  encode(all, writer) {
    const last = all.at(-1)
    const bitmap = new Uint8Array(last === undefined ? 0 : Math.floor(last / 8) + 1)
    for (const port of all) {
      const index = Math.floor(port / 8)
      bitmap[index] = (bitmap[index] ?? 0) | (0x80 >>> (port % 8))
    }
    writer.octets(bitmap)
  },
  parse(text) {
    const all = new Set<number>()
    while (!text.isAtEnd) all.add(parsePort(text))
    return [...all].sort((left, right) => left - right)
  },
  format: all => all.join(' '),
}

/** The services that zone files of its time name. */
const services: ReadonlyMap<string, number> = new Map([
  ['ftp', 21],
  ['ssh', 22],
  ['telnet', 23],
  ['smtp', 25],
  ['time', 37],
  ['domain', 53],
  ['finger', 79],
  ['http', 80],
  ['pop3', 110],
  ['nntp', 119],
  ['ntp', 123],
  ['imap', 143],
  ['https', 443],
])

function parsePort(text: Parameters<typeof ports.parse>[0]): number {
  const port = services.get(text.peek()?.raw.toLowerCase() ?? '')
  if (port === undefined) return parseInteger(text, 0xffff)
  text.next('a port')
  return port
}
