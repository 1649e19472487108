import { types } from '../dns/codes.ts'
import { formatName, isAtOrBelow, lowerCaseName, type Name } from '../dns/name.ts'
import { typeMnemonic } from '../dns/rdata/index.ts'
import { ApiError } from '../errors.ts'
import type { ImportList, ImportNote } from '../model/zone-import.ts'
import { zoneDefects } from '../zone/check.ts'
import { describeDefect, type ZoneDefect } from '../zone/defect.ts'
import { parseZoneFile } from '../zone/zone-file/parse.ts'
import { scanEntries } from '../zone/zone-file/scan.ts'
import { ZoneFileError } from '../zone/zone-file/zone-file-error.ts'
import { FilePacker, type FileSize, type PackedFileRrsets } from './file-recordsets.ts'
import { type FileRrset, FileRrsets } from './file-rrsets.ts'
import { ImportError, importMessage, RefusedLines } from './import-error.ts'
import { ImportReporter } from './import-report.ts'
import { type FileSoa, fileSoaOf } from './import-soa.ts'

/** A zone file and the parameters to read it with. */
export type ZoneFileInput = {
  /** In UTF-8, of which each piece has whole characters. */
  readonly pieces: readonly Uint8Array[]
  /** 32 random bits, unknown to the sender of the file. */
  readonly hashSeed: number
  /** For a file that does not begin with $ORIGIN. */
  readonly origin?: Name | undefined
  /** Maximum recordsets of the zone; reading stops beyond it. Below 0: no limit. */
  readonly maxRecordsets: number
  /** The same for records, without SOA and NS of the apex. */
  readonly maxRecords: number
  readonly minTtlSeconds: number
}

/** The content of a zone file. It contains no class instances, so a thread can send it. */
export type ZoneFileContents = {
  readonly kind: 'read'
  readonly soa: FileSoa
  readonly size: FileSize
  /** All recordsets, in the order in which they begin in the file, in at least one run; for an unsigned zone without SOA
   *  and NS of the apex. */
  readonly packed: readonly PackedFileRrsets[]
  /** Whether the zone is signed: it has DNSKEY and RRSIG at its apex. It is then kept unchanged. */
  readonly isSigned: boolean
  /** What was left out, because the server makes it or it is not in the zone. */
  readonly leftOut: ImportList<ImportNote>
  /** What differs from the file. */
  readonly changed: ImportList<ImportNote>
}

export type ZoneFileReading =
  | ZoneFileContents
  /** With the message for the zone's owner. */
  | { readonly kind: 'refused'; readonly message: string }

/** Maximum recordsets that are outside the zone, or come before its SOA, when the zone is not known yet: no quota bounds
 *  either. */
const maxOutsideRecordsets = 100_000

/** Reads, checks and packs a zone file. Never throws because of its content. */
export function readZoneFile(input: ZoneFileInput): ZoneFileReading {
  try {
    return contentsOf(input)
  } catch (error) {
    const message = importMessage(error)
    if (message === undefined) throw error
    return { kind: 'refused', message }
  }
}

function contentsOf(input: ZoneFileInput): ZoneFileContents {
  const text = input.pieces.map(textOf).join('')
  if (input.origin === undefined) requireOrigin(text)
  const refused = new RefusedLines()
  const rrsets = readRrsets(text, input, refused)
  refused.requireNone()
  if (rrsets.soa === undefined) throw new ImportError('An SOA record is required.')
  const apexKey = lowerCaseName(rrsets.soa.owner)
  const reporter = new ImportReporter()
  const isSigned = rrsets.hasRrset(apexKey, types.DNSKEY) && rrsets.hasRrset(apexKey, types.RRSIG)
  for (const defect of defectsOf(apexKey, rrsets, isSigned)) refused.add(defect)
  refused.requireNone()
  const packer = new FilePacker(rrsets, { ...input, isSigned })
  for (let number = 0; number < rrsets.count; number += 1) {
    const reason = reasonToLeaveOut(rrsets, number, { apexKey, isSigned })
    if (reason === undefined) {
      pack(packer, number, refused)
      if (hasMixedTtls(rrsets, number)) reporter.changed.add(() => mixedTtls(rrsets.at(number)))
    } else if (reason !== isMadeHere) reporter.leftOut.add(() => noteOf(rrsets.at(number), reason))
  }
  refused.requireNone()
  return {
    kind: 'read',
    soa: fileSoaOf(rrsets.soa, reporter),
    size: packer.size,
    isSigned,
    packed: packer.finish(),
    ...reporter.report(),
  }
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8')
}

/** Requires $ORIGIN, which only $TTL may precede. */
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

function readRrsets(
  text: string,
  { hashSeed, origin, maxRecordsets, maxRecords }: ZoneFileInput,
  refused: RefusedLines,
): FileRrsets {
  const rrsets = new FileRrsets(hashSeed)
  const onRefused = (error: ZoneFileError) => refused.add(error)
  for (const record of parseZoneFile(text, { onRefused, ...(origin && { origin }) })) {
    rrsets.add(record)
    const { insideCount } = rrsets
    // SOA and NS of the apex count as managed by the server.
    if (maxRecordsets >= 0 && insideCount > maxRecordsets)
      throw overQuota('recordsets', maxRecordsets)
    if (maxRecords >= 0 && rrsets.keptCount > maxRecords) throw overQuota('records', maxRecords)
    if (rrsets.count - insideCount <= maxOutsideRecordsets) continue
    const where = 'outside the zone or in front of its SOA'
    throw new ZoneFileError(record.line, `more than ${maxOutsideRecordsets} recordsets ${where}`)
  }
  return rrsets
}

function overQuota(what: 'recordsets' | 'records', most: number): ApiError {
  const text = `The file has more ${what} than the project may have: its quota zone_${what} is ${most}`
  return new ApiError('over_quota', text)
}

function* defectsOf(
  apexKey: Name,
  rrsets: FileRrsets,
  isSigned: boolean,
): Generator<ZoneFileError> {
  for (const defect of zoneDefects(apexKey, which => rrsets.namesOf(apexKey, which))) {
    // The apex gets the NS of the pool, unless that would break signatures.
    if (defect.kind === 'ns-missing' && !isSigned) continue
    yield new ZoneFileError(lineOf(defect, rrsets), describeDefect(defect))
  }
}

function pack(packer: FilePacker, number: number, refused: RefusedLines): void {
  try {
    packer.add(number)
  } catch (error) {
    if (!(error instanceof ZoneFileError)) throw error
    refused.add(error)
  }
}

function lineOf(defect: ZoneDefect, rrsets: FileRrsets): number {
  if (!('owner' in defect)) return 1
  return rrsets.lineOf(defect.owner, 'type' in defect ? defect.type : undefined)
}

/** Not reported here: the SOA is reported where it is read. */
const isMadeHere = 'SOA of the apex'

/** Why an RRset is not taken into the zone; undefined for one that is. */
function reasonToLeaveOut(
  rrsets: FileRrsets,
  number: number,
  { apexKey, isSigned }: { readonly apexKey: Name; readonly isSigned: boolean },
): string | undefined {
  if (rrsets.isCounted(number)) return undefined
  const { owner, type } = rrsets.keyAt(number)
  if (!isAtOrBelow(owner, apexKey)) return 'outside the zone'
  if (owner !== apexKey || isSigned) return undefined
  if (type === types.NS) return 'the name servers are those of the pool'
  return type === types.SOA ? isMadeHere : undefined
}

/** RRSIG records have the TTL of the RRset they cover (RFC 4034 section 3), so those of one name differ. */
function hasMixedTtls(rrsets: FileRrsets, number: number): boolean {
  return rrsets.hasMixedTtls(number) && rrsets.keyAt(number).type !== types.RRSIG
}

function mixedTtls(rrset: FileRrset): ImportNote {
  return noteOf(rrset, `the TTLs of its records differ, ${rrset.ttlSeconds} is the lowest`)
}

function noteOf({ owner, type }: FileRrset, reason: string): ImportNote {
  return { name: formatName(owner), type: typeMnemonic(type), reason }
}
