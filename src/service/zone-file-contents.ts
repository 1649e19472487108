import { types } from '../dns/codes.ts'
import { formatName, isAtOrBelow, lowerCaseName, type Name } from '../dns/name.ts'
import { TimeSlice } from '../time-slice.ts'
import { zoneDefects } from '../zone/check.ts'
import type { ZoneDefect } from '../zone/defect.ts'
import type { OwnedRrset } from '../zone/rrset.ts'
import { parseZoneFile, type ZoneFileRecord } from '../zone/zone-file/parse.ts'
import { scanEntries } from '../zone/zone-file/scan.ts'
import { ZoneFileError } from '../zone/zone-file/zone-file-error.ts'
import { ImportError, malformed } from './import-error.ts'

// What a master file says of a zone, read and judged in slices: whose file it is can send one of any size.

/** An RRset of a file. */
export type FileRrset = OwnedRrset & {
  /** Where its first record is, from 1. */
  readonly line: number
  /** Whether the file says its TTL at all. */
  readonly hasTtl: boolean
}

/** A file's zone. */
export type ZoneFileContents = {
  readonly apex: Name
  readonly soa: FileRrset
  /** All RRsets but the SOA and the NS of the apex, in the order they begin in the file. */
  readonly rrsets: readonly FileRrset[]
  /** Records that were left out because they are not of the zone. */
  readonly outsideCount: number
}

/** $GENERATE makes many records of few octets. */
const maxRecords = 1_000_000

/** Reads a master file.
 *  @throws ImportError it is none, or no sound zone */
export async function readZoneFile(text: string): Promise<ZoneFileContents> {
  try {
    requireOrigin(text)
    const all = await readRrsets(text)
    const soa = all.find(({ type }) => type === types.SOA)
    if (soa === undefined) throw new ImportError('An SOA record is required.')
    const apex = lowerCaseName(soa.owner)
    const inside = all.filter(({ owner }) => isAtOrBelow(lowerCaseName(owner), apex))
    await requireSoundZone(apex, inside)
    const rrsets = inside.filter(rrset => rrset !== soa && !isApexNs(rrset, apex))
    return { apex: soa.owner, soa, rrsets, outsideCount: recordCount(all) - recordCount(inside) }
  } catch (error) {
    if (error instanceof ZoneFileError) throw new ImportError(malformed(error.message))
    throw error
  }
}

/** Only $TTL may come before it. */
function requireOrigin(text: string): void {
  for (const { tokens } of scanEntries(text)) {
    const word = tokens[0]?.raw.toUpperCase()
    if (word === '$ORIGIN') return
    if (word !== '$TTL') break
  }
  throw new ImportError(
    'The $ORIGIN statement is required and must be the first statement in the zonefile.',
  )
}

async function readRrsets(text: string): Promise<readonly FileRrset[]> {
  const rrsets = new Map<string, GrowingRrset>()
  const slice = new TimeSlice()
  let count = 0
  for (const record of parseZoneFile(text)) {
    count += 1
    if (count > maxRecords) throw new ZoneFileError(record.line, `more than ${maxRecords} records`)
    const key = `${record.type} ${lowerCaseName(record.owner)}`
    const rrset = rrsets.get(key)
    if (rrset === undefined) rrsets.set(key, new GrowingRrset(record))
    else rrset.add(record)
    if (slice.isSpent) await slice.rest()
  }
  return [...rrsets.values()]
}

/** @throws ZoneFileError */
async function requireSoundZone(apex: Name, rrsets: readonly FileRrset[]): Promise<void> {
  const slice = new TimeSlice()
  for (const defect of zoneDefects(apex, rrsets)) {
    if (slice.isSpent) await slice.rest()
    // The apex gets the NS of the pool.
    if (defect === undefined || defect.kind === 'ns-missing') continue
    throw new ZoneFileError(lineOf(defect, rrsets), describe(defect))
  }
}

function lineOf(defect: ZoneDefect, rrsets: readonly FileRrset[]): number {
  const isThere = ({ owner, type }: FileRrset): boolean =>
    'owner' in defect &&
    lowerCaseName(owner) === lowerCaseName(defect.owner) &&
    (!('type' in defect) || defect.type === type)
  return rrsets.find(isThere)?.line ?? 1
}

function describe(defect: ZoneDefect): string {
  return 'owner' in defect ? `${defect.kind} at ${formatName(defect.owner)}` : defect.kind
}

function isApexNs({ owner, type }: FileRrset, apex: Name): boolean {
  return type === types.NS && lowerCaseName(owner) === apex
}

function recordCount(rrsets: readonly FileRrset[]): number {
  return rrsets.reduce((count, { rdatas }) => count + rdatas.length, 0)
}

class GrowingRrset implements FileRrset {
  readonly line: number
  readonly owner: Name
  readonly type: number
  readonly rdatas: Uint8Array[]
  #ttlSeconds: number | undefined
  /** Made when there is a second record to compare with. */
  #keys: Set<string> | undefined

  constructor({ line, owner, type, ttlSeconds, rdata }: ZoneFileRecord) {
    this.line = line
    this.owner = owner
    this.type = type
    this.rdatas = [rdata]
    this.#ttlSeconds = ttlSeconds
  }

  get hasTtl(): boolean {
    return this.#ttlSeconds !== undefined
  }

  get ttlSeconds(): number {
    return this.#ttlSeconds ?? 0
  }

  add({ ttlSeconds, rdata }: ZoneFileRecord): void {
    // RFC 2181 section 5.2: TTLs that differ within an RRset are an error; the lowest harms least.
    if (ttlSeconds !== undefined) {
      this.#ttlSeconds = Math.min(this.#ttlSeconds ?? ttlSeconds, ttlSeconds)
    }
    this.#keys ??= new Set(this.rdatas.map(rdataKey))
    const countBefore = this.#keys.size
    // RFC 2181 section 5: no two records are the same.
    if (this.#keys.add(rdataKey(rdata)).size > countBefore) this.rdatas.push(rdata)
  }
}

function rdataKey(rdata: Uint8Array): string {
  return Buffer.from(rdata.buffer, rdata.byteOffset, rdata.length).toString('latin1')
}
