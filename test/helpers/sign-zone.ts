import { createHash } from 'node:crypto'
import { types } from '../../src/dns/codes.ts'
import { isAtOrBelow, lowerCaseName, type Name, parentName } from '../../src/dns/name.ts'
import type { OwnedRrset } from '../../src/zone/rrset.ts'

// Signs zones as RFC 4035 section 2 and RFC 5155 section 7.1 say, except that the signatures are made up: as
// long as real ones, and each different. For comparing ways of answering, which copy signatures without reading them.

export type Denial = 'nsec' | 'nsec3' | 'opt-out'

export type SigningOptions = {
  readonly denial: Denial
  readonly salt?: Uint8Array
  readonly iterations?: number
  /** With opt-out, also of empty non-terminals that only lead to cuts without DS. */
  readonly hasAllNonTerminals?: boolean
  /** Octets of a signature. */
  readonly signatureOctets?: number
}

/** Returns a zone's RRsets with DNSKEY, the chain of NSEC or NSEC3, and the RRSIG of each name as one RRset. */
export function signZone(rrsets: readonly OwnedRrset[], options: SigningOptions): OwnedRrset[] {
  const soa = rrsets.find(({ type }) => type === types.SOA)
  if (soa === undefined) throw new Error('a zone without a SOA')
  const apex = lowerCaseName(soa.owner)
  const key = Uint8Array.of(1, 1, 3, 13, ...new Array(64).fill(7))
  const param = Uint8Array.of(1, 0, ...iterationsAndSalt(options))
  const data = [
    ...rrsets,
    { owner: soa.owner, type: types.DNSKEY, ttlSeconds: 3600, rdatas: [key] },
    ...(options.denial === 'nsec'
      ? []
      : [{ owner: soa.owner, type: types.NSEC3PARAM, ttlSeconds: 0, rdatas: [param] }]),
  ]
  const names = namesOf(data, apex)
  const chain =
    options.denial === 'nsec' ? nsecChain(names, soa) : nsec3Chain(names, { soa, apex, options })
  return [...data, ...chain, ...signatures([...data, ...chain], { apex, options })]
}

/** One name that the zone is authoritative for. */
type ZoneName = { readonly name: Name; readonly owner: Name; readonly types: readonly number[] }

/** Names of authority in lower case, empty non-terminals included, in canonical order. */
function namesOf(rrsets: readonly OwnedRrset[], apex: Name): ZoneName[] {
  const byName = Map.groupBy(rrsets, ({ owner }) => lowerCaseName(owner))
  const all = new Set<Name>()
  for (const owner of byName.keys()) {
    for (let name = owner; ; name = parentName(name)) {
      all.add(name)
      if (name === apex) break
    }
  }
  return [...all]
    .filter(name => !isOccluded(byName, name, apex))
    .sort(compareNames)
    .map(name => ({
      name,
      owner: byName.get(name)?.[0]?.owner ?? name,
      types: (byName.get(name) ?? []).map(({ type }) => type),
    }))
}

function isOccluded(
  byName: ReadonlyMap<Name, readonly OwnedRrset[]>,
  name: Name,
  apex: Name,
): boolean {
  for (let above = name; above !== apex; ) {
    above = parentName(above)
    const has = (type: number) => byName.get(above)?.some(rrset => rrset.type === type) ?? false
    if (has(types.DNAME) || (above !== apex && has(types.NS))) return true
  }
  return false
}

function isCut({ name, types: own }: ZoneName, apex: Name): boolean {
  return name !== apex && own.includes(types.NS)
}

/** The types at a name that the zone is authoritative for. */
function authoritativeTypes(name: ZoneName, apex: Name): number[] {
  if (!isCut(name, apex)) return [...name.types]
  return name.types.filter(type => type === types.NS || type === types.DS)
}

function nsecChain(names: readonly ZoneName[], soa: OwnedRrset): OwnedRrset[] {
  const apex = lowerCaseName(soa.owner)
  const owners = names.filter(({ types: own }) => own.length > 0)
  return owners.map((each, i) => {
    const next = (owners[i + 1] ?? owners[0]) as ZoneName
    const own = [...authoritativeTypes(each, apex), types.NSEC, types.RRSIG]
    const rdata = Buffer.concat([octetsOf(next.owner), bitmap(own)])
    return { owner: each.owner, type: types.NSEC, ttlSeconds: 300, rdatas: [new Uint8Array(rdata)] }
  })
}

function nsec3Chain(
  names: readonly ZoneName[],
  { soa, apex, options }: { soa: OwnedRrset; apex: Name; options: SigningOptions },
): OwnedRrset[] {
  const isOptOut = options.denial === 'opt-out'
  const isInsecureCut = (name: ZoneName) => isCut(name, apex) && !name.types.includes(types.DS)
  const leavesOut = (name: ZoneName): boolean => {
    if (!isOptOut) return false
    if (name.types.length > 0) return isInsecureCut(name)
    if (options.hasAllNonTerminals === true) return false
    // RFC 5155 section 7.1: nor the empty non-terminals that only lead to such.
    return names
      .filter(other => other.types.length > 0 && isAtOrBelow(other.name, name.name))
      .every(isInsecureCut)
  }
  const hashed = names
    .filter(name => !leavesOut(name))
    .map(name => ({ name, hash: hashOf(name.name, options) }))
    .sort((one, other) => Buffer.compare(one.hash, other.hash))
  return hashed.map(({ name, hash }, i) => {
    const next = (hashed[i + 1] ?? hashed[0])?.hash as Buffer
    const own = authoritativeTypes(name, apex)
    const isSigned = own.length > 0 && !isInsecureCut(name)
    const rdata = Buffer.concat([
      Uint8Array.of(1, isOptOut ? 1 : 0, ...iterationsAndSalt(options), 20),
      next,
      bitmap(isSigned ? [...own, types.RRSIG] : own),
    ])
    const owner = `\x20${base32hex(hash)}${soa.owner}` as Name
    return { owner, type: types.NSEC3, ttlSeconds: 300, rdatas: [new Uint8Array(rdata)] }
  })
}

function signatures(
  rrsets: readonly OwnedRrset[],
  { apex, options }: { apex: Name; options: SigningOptions },
): OwnedRrset[] {
  const byName = Map.groupBy(rrsets, ({ owner }) => lowerCaseName(owner))
  return [...byName].flatMap(([name, ofName]) => {
    const isBelowCut = isOccluded(byName, name, apex)
    const isAtCut = name !== apex && ofName.some(({ type }) => type === types.NS)
    const signed = ofName.filter(({ type }) => {
      // The zone is authoritative for an NSEC3, whatever its hash.
      if (type === types.NSEC3) return true
      return !isBelowCut && (!isAtCut || type === types.DS || type === types.NSEC)
    })
    const [first] = signed
    if (first === undefined) return []
    const rdatas = signed.map(rrset => signatureOf(rrset, { apex, options }))
    return [{ owner: first.owner, type: types.RRSIG, ttlSeconds: 1, rdatas }]
  })
}

function signatureOf(
  rrset: OwnedRrset,
  { apex, options: { signatureOctets = 64 } }: { apex: Name; options: SigningOptions },
): Uint8Array {
  const rdatas = rrset.rdatas.map(rdata => Buffer.from(rdata).toString('hex')).sort()
  const digest = createHash('sha512')
    .update(octetsOf(rrset.owner))
    .update(`${rrset.type} ${rdatas.join()}`)
    .digest()
  const head = Buffer.alloc(18)
  head.writeUInt16BE(rrset.type, 0)
  head.writeUInt8(13, 2)
  head.writeUInt32BE(rrset.ttlSeconds, 4)
  const made = Buffer.alloc(signatureOctets, digest)
  return new Uint8Array(Buffer.concat([head, octetsOf(apex), made]))
}

/** The hash of a name in lower case (RFC 5155 section 5). */
export function hashOf(name: Name, { salt, iterations = 0 }: SigningOptions): Buffer {
  let hash: Buffer = octetsOf(name)
  for (let round = 0; round <= iterations; round += 1) {
    hash = createHash('sha1')
      .update(hash)
      .update(salt ?? Buffer.alloc(0))
      .digest()
  }
  return hash
}

/** RFC 4034 section 6.1. */
export function compareNames(one: Name, other: Name): number {
  const [labels, otherLabels] = [one, other].map(name => labelOctets(name).reverse())
  for (let i = 0; ; i += 1) {
    const [label, otherLabel] = [labels?.[i], otherLabels?.[i]]
    if (label === undefined || otherLabel === undefined) {
      return Number(label !== undefined) - Number(otherLabel !== undefined)
    }
    const order = Buffer.compare(label, otherLabel)
    if (order !== 0) return order
  }
}

function labelOctets(name: Name): Buffer[] {
  const octets = octetsOf(lowerCaseName(name))
  const labels: Buffer[] = []
  for (let at = 0; octets[at] !== 0; at += 1 + (octets[at] as number)) {
    labels.push(octets.subarray(at + 1, at + 1 + (octets[at] as number)))
  }
  return labels
}

function octetsOf(name: Name): Buffer {
  return Buffer.from(name, 'latin1')
}

function base32hex(hash: Buffer): string {
  return BigInt(`0x${hash.toString('hex')}`)
    .toString(32)
    .padStart(32, '0')
}

function iterationsAndSalt({ iterations = 0, salt = new Uint8Array() }: SigningOptions): number[] {
  return [iterations >>> 8, iterations & 0xff, salt.length, ...salt]
}

/** RFC 4034 section 4.1.2. */
function bitmap(list: readonly number[]): Buffer {
  const byWindow = Map.groupBy(new Set(list), type => type >>> 8)
  const windows = [...byWindow].sort(([one], [other]) => one - other)
  return Buffer.concat(
    windows.map(([window, ofWindow]) => {
      const octets = Buffer.alloc(1 + (Math.max(...ofWindow.map(type => type & 0xff)) >> 3))
      for (const type of ofWindow) {
        const at = (type & 0xff) >> 3
        octets[at] = (octets[at] as number) | (0x80 >> (type & 7))
      }
      return Buffer.from([window, octets.length, ...octets])
    }),
  )
}
