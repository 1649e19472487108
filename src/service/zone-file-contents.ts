import { types } from '../dns/codes.ts'
import { formatName, isAtOrBelow, lowerCaseName, type Name } from '../dns/name.ts'
import { TimeSlice } from '../time-slice.ts'
import { zoneDefects } from '../zone/check.ts'
import type { ZoneDefect } from '../zone/defect.ts'
import { parseZoneFile } from '../zone/zone-file/parse.ts'
import { scanEntries } from '../zone/zone-file/scan.ts'
import { ZoneFileError } from '../zone/zone-file/zone-file-error.ts'
import { type FileRrset, FileRrsets } from './file-rrsets.ts'
import { ImportError, malformed } from './import-error.ts'

// What a master file says of a zone, read and judged in slices: whose file it is can send one of any size.

/** A file's zone. There may be a million RRsets in it, so they are not kept as values, but made when they are asked
 *  for. */
export type ZoneFileContents = {
  /** Its owner is the apex. */
  readonly soa: FileRrset
  /** The numbers of all RRsets of the zone but the SOA and the NS of the apex, in the order they begin in the file. */
  readonly numbers: Uint32Array
  rrsetAt(number: number): FileRrset
  /** Records that were left out because they are not of the zone. */
  readonly outsideCount: number
}

/** $GENERATE makes many records of few octets. */
const maxRecords = 1_000_000

/** Reads a master file.
 *  @param hashSeed any number that whoever sends the file does not know
 *  @throws ImportError it is none, or no sound zone */
export async function readZoneFile(text: string, hashSeed: number): Promise<ZoneFileContents> {
  try {
    requireOrigin(text)
    const rrsets = await readRrsets(text, hashSeed)
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

async function readRrsets(text: string, hashSeed: number): Promise<FileRrsets> {
  const rrsets = new FileRrsets(hashSeed)
  const slice = new TimeSlice()
  let count = 0
  for (const record of parseZoneFile(text)) {
    count += 1
    if (count > maxRecords) throw new ZoneFileError(record.line, `more than ${maxRecords} records`)
    rrsets.add(record)
    if (slice.isSpent) await slice.rest()
  }
  return rrsets
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
  let outsideCount = 0
  const slice = new TimeSlice()
  for (let number = 0; number < rrsets.count; number += 1) {
    const { owner, type } = rrsets.keyAt(number)
    if (!isAtOrBelow(owner, apexKey)) outsideCount += rrsets.recordCountAt(number)
    else if (!isManaged(type) || owner !== apexKey) {
      numbers[count] = number
      count += 1
    }
    if (slice.isSpent) await slice.rest()
  }
  const rrsetAt = (number: number) => rrsets.at(number)
  return { soa, numbers: numbers.subarray(0, count), rrsetAt, outsideCount }
}

/** Whether RRsets of this type are the server's own at the apex. */
function isManaged(type: number): boolean {
  return type === types.SOA || type === types.NS
}
