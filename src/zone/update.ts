import { classes, rcodes, types } from '../dns/codes.ts'
import { ifWellFormed } from '../dns/format-error.ts'
import { flags, headerOctets } from '../dns/header.ts'
import { decodeMessage, type ResourceRecord } from '../dns/message.ts'
import { isAtOrBelow, lowerCaseName, type Name } from '../dns/name.ts'
import { padMessage } from '../dns/padding.ts'
import { readRdata } from '../dns/rdata/index.ts'
import { rdataKey } from '../dns/rdata/rdata-key.ts'
import { Reader } from '../dns/reader.ts'
import { isNewerSerial } from '../dns/serial.ts'
import { isZoneType } from './check-name.ts'
import type { Rrset } from './rrset.ts'
import { soaNumbersIn } from './soa.ts'

// Dynamic update (RFC 2136): the request of a message, judged by the contents of a zone.

/** A well-formed dynamic update. */
export type Update = {
  /** The apex of its zone, as given. */
  readonly zone: Name
  readonly prerequisites: readonly ResourceRecord[]
  readonly changes: readonly ResourceRecord[]
}

/** The RRsets of a zone, by owner in lower case. */
export type UpdateBasis = { rrsetsAt(owner: Name): readonly Rrset[] }

/** Changed RRsets of one owner; `after` undefined where one is gone. */
export type UpdatedRrset = {
  readonly owner: Name
  readonly type: number
  readonly after: Rrset | undefined
}

/** Reads an update, and judges the form of its zone section and its changes (RFC 2136 sections 3.1.1, 3.4.1). Returns the
 *  rcode of one that is invalid. */
export function readUpdate(octets: Uint8Array): Update | number {
  const message = ifWellFormed(() => decodeMessage(octets))
  if (message === undefined) return rcodes.formErr
  const [zone, ...others] = message.questions
  if (zone === undefined || others.length > 0 || zone.type !== types.SOA) return rcodes.formErr
  if (zone.class !== classes.in) return rcodes.notAuth
  const { answers: prerequisites, authorities: changes } = message
  for (const record of changes) {
    const rcode = changeForm(record, zone.name)
    if (rcode !== rcodes.noError) return rcode
  }
  return { zone: zone.name, prerequisites, changes }
}

/** The response to an update: its header and its zone section (RFC 2136 section 3.8), and an OPT where it has one (RFC 6891
 *  section 6.1.1). `apex` is the name in its zone section, which is as long in any case.
 *  @param tailOctets octets that will follow a padded response: its TSIG */
export function updateResponse(
  {
    octets,
    apex,
    hasEdns,
    isPadded = false,
  }: {
    readonly octets: Uint8Array
    readonly apex: Name
    readonly hasEdns: boolean
    readonly isPadded?: boolean | undefined
  },
  rcode: number,
  tailOctets = 0,
): Uint8Array {
  const zoneEnd = headerOctets + apex.length + 4
  const response = new Uint8Array(zoneEnd + (hasEdns ? opt.length : 0))
  response.set(octets.subarray(0, zoneEnd))
  const opcode = (response[2] as number) & 0x78
  response[2] = (flags.response >>> 8) | opcode
  response[3] = rcode
  response.fill(0, 6, headerOctets)
  if (!hasEdns) return response
  response[11] = 1
  response.set(opt, zoneEnd)
  if (!isPadded) return response
  const padded = new Uint8Array(maxPaddedOctets + tailOctets)
  padded.set(response)
  const place = { end: response.length, optAt: zoneEnd, tailOctets }
  return padded.subarray(0, padMessage(padded, place))
}

/** Header, zone and OPT have less, to whole blocks. */
const maxPaddedOctets = 1024

/** Root owner, type, 1,232 octets over UDP as in all answers, and nothing else. */
const opt = Uint8Array.of(0, 0, types.OPT, 1232 >>> 8, 1232 & 0xff, 0, 0, 0, 0, 0, 0)

/** Returns the rcode of the first prerequisite that is malformed or does not hold (section 3.2); NOERROR where all hold. Values
 *  are compared last, by the whole RRset. */
export function judgePrerequisites({ zone, prerequisites }: Update, basis: UpdateBasis): number {
  const wanted = new Map<string, [ResourceRecord, ...ResourceRecord[]]>()
  for (const record of prerequisites) {
    const form = prerequisiteForm(record, zone)
    if (form !== rcodes.noError) return form
    if (record.class === classes.in) {
      const key = `${record.type} ${lowerCaseName(record.owner)}`
      const known = wanted.get(key)
      if (known === undefined) wanted.set(key, [record])
      else known.push(record)
      continue
    }
    const rcode = judgeExistence(record, basis)
    if (rcode !== rcodes.noError) return rcode
  }
  for (const records of wanted.values()) if (!isWhole(records, basis)) return rcodes.nxRrset
  return rcodes.noError
}

/** Makes the changes one after the other (section 3.4.2), and returns what differs in the end. */
export function applyUpdate({ zone, changes }: Update, basis: UpdateBasis): UpdatedRrset[] {
  const contents = new Contents(lowerCaseName(zone), basis)
  for (const record of changes) contents.change(record)
  return contents.updated()
}

/** The types that a change may affect, given what its name owns. */
export function typesOfChange(record: ResourceRecord, basis: UpdateBasis): readonly number[] {
  if (record.type !== types.ANY) return [record.type]
  return basis.rrsetsAt(lowerCaseName(record.owner)).map(({ type }) => type)
}

function prerequisiteForm(record: ResourceRecord, zone: Name): number {
  const { ttlSeconds, owner, type, rdata } = record
  if (ttlSeconds !== 0) return rcodes.formErr
  if (!isIn(owner, zone)) return rcodes.notZone
  if (record.class === classes.any || record.class === classes.none)
    return rdata.length === 0 ? rcodes.noError : rcodes.formErr
  return record.class === classes.in && isZoneType(type) ? rcodes.noError : rcodes.formErr
}

function changeForm(record: ResourceRecord, zone: Name): number {
  const { owner, type, ttlSeconds, rdata } = record
  if (!isIn(owner, zone)) return rcodes.notZone
  const isDeletion = ttlSeconds === 0
  switch (record.class) {
    case classes.in:
      return isZoneType(type) ? rcodes.noError : rcodes.formErr
    case classes.any:
      return isDeletion && rdata.length === 0 && (isZoneType(type) || type === types.ANY)
        ? rcodes.noError
        : rcodes.formErr
    case classes.none:
      return isDeletion && isZoneType(type) && (rdata.length > 0 || mayBeEmpty(type))
        ? rcodes.noError
        : rcodes.formErr
    default:
      return rcodes.formErr
  }
}

/** Whether a type has values of no octets. */
function mayBeEmpty(type: number): boolean {
  return ifWellFormed(() => readRdata(new Reader(new Uint8Array()), type, 0)) !== undefined
}

function isIn(owner: Name, zone: Name): boolean {
  return isAtOrBelow(lowerCaseName(owner), lowerCaseName(zone))
}

function judgeExistence({ owner, type, ...record }: ResourceRecord, basis: UpdateBasis): number {
  const rrsets = basis.rrsetsAt(lowerCaseName(owner))
  const isAny = type === types.ANY
  const exists = isAny ? rrsets.length > 0 : rrsets.some(rrset => rrset.type === type)
  if (exists === (record.class === classes.any)) return rcodes.noError
  if (exists) return isAny ? rcodes.yxDomain : rcodes.yxRrset
  return isAny ? rcodes.nxDomain : rcodes.nxRrset
}

/** Whether the records are exactly those of the RRset. TTLs do not matter. */
function isWhole(records: readonly [ResourceRecord, ...ResourceRecord[]], basis: UpdateBasis) {
  const [{ owner, type }] = records
  const stored = basis.rrsetsAt(lowerCaseName(owner)).find(rrset => rrset.type === type)
  const given = records.map(({ rdata }) => rdata)
  return haveSameKeys(byKey(type, stored?.rdatas ?? []), byKey(type, given))
}

/** The values of an RRset by their keys. */
type Values = Map<string, Uint8Array>
type Growing = { readonly ttlSeconds: number; readonly values: Values }

/** The contents of a zone while changes are made one after the other; only changed names are looked at. */
class Contents {
  readonly #apex: Name
  readonly #basis: UpdateBasis
  readonly #byOwner = new Map<Name, { owner: Name; rrsets: Map<number, Growing> }>()

  constructor(apex: Name, basis: UpdateBasis) {
    this.#apex = apex
    this.#basis = basis
  }

  change(record: ResourceRecord): void {
    const key = lowerCaseName(record.owner)
    const { rrsets } = this.#at(key, record.owner)
    const isApex = key === this.#apex
    if (record.class === classes.in) this.#add(rrsets, record)
    else if (record.class === classes.none) this.#removeRecord(rrsets, record, isApex)
    else this.#removeRrsets(rrsets, record, isApex)
  }

  updated(): UpdatedRrset[] {
    return [...this.#byOwner].flatMap(([key, { owner, rrsets }]) => {
      const before = this.#stored(key)
      return [...new Set([...before.keys(), ...rrsets.keys()])]
        .filter(type => !isSame(before.get(type), rrsets.get(type)))
        .map(type => ({ owner, type, after: rrsetOf(type, rrsets.get(type)) }))
    })
  }

  #at(key: Name, owner: Name) {
    let known = this.#byOwner.get(key)
    if (known === undefined) {
      known = { owner, rrsets: this.#stored(key) }
      this.#byOwner.set(key, known)
    }
    return known
  }

  #stored(key: Name): Map<number, Growing> {
    const rrsets = this.#basis.rrsetsAt(key)
    return new Map(
      rrsets.map(({ type, ttlSeconds, rdatas }) => {
        return [type, { ttlSeconds, values: byKey(type, rdatas) }]
      }),
    )
  }

  /** Section 3.4.2.2. */
  #add(rrsets: Map<number, Growing>, { type, rdata, ttlSeconds }: ResourceRecord): void {
    const before = rrsets.get(type)
    const hasCname = rrsets.has(types.CNAME)
    const isBesideCname =
      type === types.CNAME ? rrsets.size > (hasCname ? 1 : 0) : hasCname && type !== types.RRSIG
    if (isBesideCname) return
    if (type === types.SOA) {
      // The server writes the SOA: an older one, or a first one, cannot follow it.
      const next = soaNumbersIn(rdata)
      const [present] = before?.values.values() ?? []
      if (present === undefined || !isNewerSerial(next.serial, soaNumbersIn(present).serial)) return
    }
    const isSingle = type === types.SOA || type === types.CNAME || type === types.DNAME
    const values: Values = (isSingle ? undefined : before?.values) ?? new Map()
    const key = rdataKey(type, rdata)
    // The last spelling stays.
    values.delete(key)
    rrsets.set(type, { ttlSeconds, values: values.set(key, rdata) })
  }

  /** Section 3.4.2.3: SOA and NS of the apex stay. */
  #removeRrsets(rrsets: Map<number, Growing>, { type }: ResourceRecord, isApex: boolean): void {
    for (const each of type === types.ANY ? [...rrsets.keys()] : [type]) {
      if (!isApex || (each !== types.SOA && each !== types.NS)) rrsets.delete(each)
    }
  }

  /** Section 3.4.2.4: neither the SOA nor the last NS of the apex goes. */
  #removeRecord(
    rrsets: Map<number, Growing>,
    { type, rdata }: ResourceRecord,
    isApex: boolean,
  ): void {
    const values = rrsets.get(type)?.values
    if (values === undefined || type === types.SOA) return
    if (isApex && type === types.NS && values.size === 1) return
    values.delete(rdataKey(type, rdata))
    if (values.size === 0) rrsets.delete(type)
  }
}

function rrsetOf(type: number, rrset: Growing | undefined): Rrset | undefined {
  return rrset && { type, ttlSeconds: rrset.ttlSeconds, rdatas: [...rrset.values.values()] }
}

function isSame(before: Growing | undefined, after: Growing | undefined): boolean {
  if (before === undefined || after === undefined) return before === after
  return before.ttlSeconds === after.ttlSeconds && haveSameKeys(before.values, after.values)
}

function byKey(type: number, rdatas: readonly Uint8Array[]): Values {
  return new Map(rdatas.map(rdata => [rdataKey(type, rdata), rdata]))
}

function haveSameKeys(one: Values, other: Values): boolean {
  return one.size === other.size && [...one.keys()].every(key => other.has(key))
}
