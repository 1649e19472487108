import { types } from '../dns/codes.ts'
import { labelsOf, lowerCaseName, type Name } from '../dns/name.ts'
import type { Rrset } from '../zone/rrset.ts'

// Names and RRsets in the form that is signed and compared (RFC 4034 section 6).

/** The names in rdata that are written in lower case (RFC 4034 section 6.2, RFC 6840 section 5.1): octets in front of
 *  the first, and how many names. */
const lowered: ReadonlyMap<number, readonly [prefixOctets: number, nameCount: number]> = new Map([
  [types.NS, [0, 1]],
  [types.MD, [0, 1]],
  [types.MF, [0, 1]],
  [types.CNAME, [0, 1]],
  [types.SOA, [0, 2]],
  [types.MB, [0, 1]],
  [types.MG, [0, 1]],
  [types.MR, [0, 1]],
  [types.PTR, [0, 1]],
  [types.MINFO, [0, 2]],
  [types.MX, [2, 1]],
  [types.RP, [0, 2]],
  [types.AFSDB, [2, 1]],
  [types.RT, [2, 1]],
  [types.SIG, [18, 1]],
  [types.PX, [2, 2]],
  [types.NXT, [0, 1]],
  [types.SRV, [6, 1]],
  [types.KX, [2, 1]],
  [types.DNAME, [0, 1]],
])

/** Type, class, TTL and length of rdata. */
const fixedOctets = 10
const classIn = 1

/** The records of an RRset as they are signed: in canonical form and order, each once. */
export function canonicalRecords(owner: Name, { type, ttlSeconds, rdatas }: Rrset): Buffer {
  const key = lowerCaseName(owner)
  const canonical = rdatas.map(rdata => canonicalRdata(type, rdata))
  const distinct = canonical.length === 1 ? canonical : sortedOnce(canonical)
  const headOctets = key.length + fixedOctets
  const octets = Buffer.allocUnsafe(
    distinct.reduce((sum, { length }) => sum + headOctets + length, 0),
  )
  let at = 0
  for (const rdata of distinct) {
    at += octets.write(key, at, 'latin1')
    at = octets.writeUInt16BE(type, at)
    at = octets.writeUInt16BE(classIn, at)
    at = octets.writeUInt32BE(ttlSeconds, at)
    at = octets.writeUInt16BE(rdata.length, at)
    octets.set(rdata, at)
    at += rdata.length
  }
  return octets
}

function sortedOnce(rdatas: readonly Uint8Array[]): Uint8Array[] {
  const sorted = rdatas.toSorted(Buffer.compare)
  return sorted.filter(
    (rdata, i) => i === 0 || Buffer.compare(rdata, sorted[i - 1] as Uint8Array) !== 0,
  )
}

function canonicalRdata(type: number, rdata: Uint8Array): Uint8Array {
  if (type === types.NAPTR) return withLowerCase(rdata, naptrNameAt(rdata), 1)
  if (type === types.A6) return withLowerCase(rdata, 1 + ((128 + 7 - (rdata[0] as number)) >> 3), 1)
  const names = lowered.get(type)
  return names === undefined ? rdata : withLowerCase(rdata, ...names)
}

/** Behind order, preference and three strings (RFC 3403 section 4.1). */
function naptrNameAt(rdata: Uint8Array): number {
  let at = 4
  for (let left = 3; left > 0; left -= 1) at += 1 + (rdata[at] as number)
  return at
}

function withLowerCase(rdata: Uint8Array, start: number, nameCount: number): Uint8Array {
  const copy = Uint8Array.from(rdata)
  let at = start
  for (let left = nameCount; left > 0 && at < copy.length; left -= 1) {
    for (let length = copy[at] as number; length > 0; length = copy[at] as number) {
      const end = at + 1 + length
      for (at += 1; at < end; at += 1) {
        const octet = copy[at] as number
        if (octet >= 0x41 && octet <= 0x5a) copy[at] = octet | 0x20
      }
    }
    at += 1
  }
  return copy
}

/** A text by which names sort in canonical order (RFC 4034 section 6.1): labels from the right in lower case, separated
 *  by a character that sorts before all octets. */
export function canonicalKey(name: Name): string {
  return labelsOf(lowerCaseName(name)).map(withoutLeast).reverse().join('\0')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: labels are octets
const leastOctets = /[\0\x01]/g

/** Leaves a character free below all octets of a label. */
function withoutLeast(label: string): string {
  if (label.search(leastOctets) < 0) return label
  return label.replace(leastOctets, octet => (octet === '\0' ? '\x01\x01' : '\x01\x02'))
}

/** Labels of an owner as a signature counts them: neither the root nor a leading `*` (RFC 4034 section 3.1.3). */
export function signedLabelCount(owner: Name): number {
  const labels = labelsOf(owner)
  return labels[0] === '*' ? labels.length - 1 : labels.length
}
