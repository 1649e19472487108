import { types } from '../dns/codes.ts'
import { formatName, isAtOrBelow, lowerCaseName, type Name } from '../dns/name.ts'
import { typeMnemonic } from '../dns/rdata/index.ts'
import { ApiError } from '../errors.ts'
import type { ImportNote } from '../model/zone-import.ts'
import { TimeSlice } from '../time-slice.ts'
import { zoneDefects } from '../zone/check.ts'
import type { ZoneDefect } from '../zone/defect.ts'
import { parseZoneFile } from '../zone/zone-file/parse.ts'
import { scanEntries } from '../zone/zone-file/scan.ts'
import { ZoneFileError } from '../zone/zone-file/zone-file-error.ts'
import { type FileRrset, FileRrsets } from './file-rrsets.ts'
import { ImportError, malformed } from './import-error.ts'
import { ImportReporter } from './import-report.ts'

// What a master file says of a zone, read and judged in slices: whose file it is can send one of any size.

/** A file's zone. There may be a million RRsets in it, so they are not kept as values, but made when they are asked
 *  for. */
export type ZoneFileContents = {
  /** Its owner is the apex. */
  readonly soa: FileRrset
  /** The numbers of all RRsets of the zone but the SOA and the NS of the apex, in the order they begin in the file. */
  readonly numbers: Uint32Array
  rrsetAt(number: number): FileRrset
  /** What was left out, as the server's own or not of the zone, and what is not as the file has it. */
  readonly reporter: ImportReporter
}

/** What a file is read with. */
export type ZoneFileReading = {
  /** Any number that whoever sends the file does not know. */
  readonly hashSeed: number
  /** For a file that does not begin with $ORIGIN. */
  readonly origin?: Name | undefined
  /** What the zone may have in all; nothing is read beyond. Below 0: no limit. */
  readonly maxRecordsets: number
}

/** $GENERATE makes many records of few octets. */
const maxRecords = 1_000_000

/** Reads a master file.
 *  @throws ImportError it is none, or no sound zone; ApiError over_quota */
export async function readZoneFile(
  text: string,
  reading: ZoneFileReading,
): Promise<ZoneFileContents> {
  try {
    if (reading.origin === undefined) requireOrigin(text)
    const rrsets = await readRrsets(text, reading)
    const { soa } = rrsets
    if (soa === undefined) throw new ImportError('An SOA record is required.')
    await requireSoundZone(lowerCaseName(soa.owner), rrsets)
    return await contentsOf(soa, rrsets)
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

async function readRrsets(
  text: string,
  { hashSeed, origin, maxRecordsets }: ZoneFileReading,
): Promise<FileRrsets> {
  const rrsets = new FileRrsets(hashSeed)
  const slice = new TimeSlice()
  let count = 0
  for (const record of parseZoneFile(text, origin === undefined ? {} : { origin })) {
    count += 1
    if (count > maxRecords) throw new ZoneFileError(record.line, `more than ${maxRecords} records`)
    rrsets.add(record)
    // SOA and NS of the apex count as the server's own.
    if (maxRecordsets >= 0 && rrsets.insideCount > maxRecordsets) throw overQuota()
    if (slice.isSpent) await slice.rest()
  }
  return rrsets
}

function overQuota(): ApiError {
  return new ApiError('over_quota', 'The file has more record sets than the project may have')
}

/** @throws ZoneFileError */
async function requireSoundZone(apexKey: Name, rrsets: FileRrsets): Promise<void> {
  const slice = new TimeSlice()
  for (const defect of zoneDefects(apexKey, () => rrsets.namesOf(apexKey))) {
    if (slice.isSpent) await slice.rest()
    // The apex gets the NS of the pool.
    if (defect === undefined || defect.kind === 'ns-missing') continue
    throw new ZoneFileError(lineOf(defect, rrsets), describe(defect))
  }
}

function lineOf(defect: ZoneDefect, rrsets: FileRrsets): number {
  if (!('owner' in defect)) return 1
  return rrsets.lineOf(defect.owner, 'type' in defect ? defect.type : undefined)
}

function describe(defect: ZoneDefect): string {
  return 'owner' in defect ? `${defect.kind} at ${formatName(defect.owner)}` : defect.kind
}

async function contentsOf(soa: FileRrset, rrsets: FileRrsets): Promise<ZoneFileContents> {
  const apexKey = lowerCaseName(soa.owner)
  const numbers = new Uint32Array(rrsets.count)
  let count = 0
  const reporter = new ImportReporter()
  const slice = new TimeSlice()
  for (let number = 0; number < rrsets.count; number += 1) {
    const reason = reasonToLeaveOut(rrsets.keyAt(number), apexKey)
    if (reason === undefined) {
      numbers[count] = number
      count += 1
      if (rrsets.hasMixedTtls(number)) reporter.changed.add(mixedTtls(rrsets.at(number)))
    } else if (reason !== isMadeHere) reporter.leftOut.add(noteOf(rrsets.at(number), reason))
    if (slice.isSpent) await slice.rest()
  }
  const rrsetAt = (number: number) => rrsets.at(number)
  return { soa, numbers: numbers.subarray(0, count), rrsetAt, reporter }
}

/** The SOA is told of where it is read. */
const isMadeHere = 'SOA of the apex'

/** Why an RRset is not taken into the zone; undefined for one that is. */
function reasonToLeaveOut(
  { owner, type }: { readonly owner: Name; readonly type: number },
  apexKey: Name,
): string | undefined {
  if (!isAtOrBelow(owner, apexKey)) return 'outside the zone'
  if (owner !== apexKey) return undefined
  if (type === types.NS) return 'the name servers are those of the pool'
  return type === types.SOA ? isMadeHere : undefined
}

function mixedTtls(rrset: FileRrset): ImportNote {
  return noteOf(rrset, `the TTLs of its records differ, ${rrset.ttlSeconds} is the lowest`)
}

function noteOf({ owner, type }: FileRrset, reason: string): ImportNote {
  return { name: formatName(owner), type: typeMnemonic(type), reason }
}
