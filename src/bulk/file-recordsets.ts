import { types } from '../dns/codes.ts'
import { typeMnemonic } from '../dns/rdata/index.ts'
import { nameEnd, type RrsetOctets } from '../dns/rrset-octets.ts'
import { maxRecords } from '../model/limits.ts'
import { ownerNameText } from '../model/owner-name.ts'
import { distinctRdatas } from '../model/record-values.ts'
import { recordsetRdataErrors } from '../model/recordset-draft.ts'
import { type RecordsetRun, RunWriter, runRecordsets } from '../model/recordset-run.ts'
import { octetsOfRrset } from '../zone/rrset-octets.ts'
import { ZoneFileError } from '../zone/zone-file/zone-file-error.ts'
import type { FileRrset, FileRrsets } from './file-rrsets.ts'

/** Recordsets of a file that are written together. */
export type PackedFileRrsets = {
  readonly run: RecordsetRun
  /** The line in the file at which each begins. */
  readonly lines: Uint32Array<ArrayBuffer>
}

/** Totals of a file. */
export type FileSize = {
  readonly recordsets: number
  readonly records: number
  /** The number of records of the largest recordset. */
  readonly recordsetRecords: number
}

/** A run with this many records is large enough, even with few recordsets. */
const runRecords = 4 * runRecordsets

/** Checks recordsets of a file by the rules for those that are created one by one, and packs them. */
export class FilePacker {
  readonly #rrsets: FileRrsets
  readonly #minTtlSeconds: number
  readonly #isSigned: boolean
  readonly #writer = new RunWriter()
  readonly #packed: PackedFileRrsets[] = []
  #lines: number[] = []
  #runRecords = 0
  #recordsets = 0
  #records = 0
  #recordsetRecords = 0

  /** @param isSigned recordsets of a signed zone are not checked: a change would break their signatures */
  constructor(
    rrsets: FileRrsets,
    { minTtlSeconds, isSigned }: { readonly minTtlSeconds: number; readonly isSigned: boolean },
  ) {
    this.#rrsets = rrsets
    this.#isSigned = isSigned
    this.#minTtlSeconds = minTtlSeconds
  }

  get size(): FileSize {
    const own = { recordsets: this.#recordsets, records: this.#records }
    return { ...own, recordsetRecords: this.#recordsetRecords }
  }

  /** @throws ZoneFileError the recordset could not be created */
  add(number: number): void {
    const ttlSeconds = this.#rrsets.hasTtl(number) ? this.#rrsets.ttlSecondsOf(number) : null
    const stored = this.#rrsets.octetsAt(number)
    const rrset = this.#isSigned || isUsual(stored) ? stored : checked(this.#rrsets.at(number))
    if (!this.#isSigned && ttlSeconds !== null && ttlSeconds < this.#minTtlSeconds) {
      const problem = `TTL is below the minimum: ${this.#minTtlSeconds}`
      throw new ZoneFileError(this.#rrsets.lineAt(number), problem)
    }
    if (this.#lines.length === runRecordsets || this.#runRecords >= runRecords) this.#endRun()
    this.#writer.addRrset(rrset, { isManaged: false, ttlSeconds })
    this.#lines.push(this.#rrsets.lineAt(number))
    const { recordCount } = rrset
    this.#recordsets += 1
    this.#runRecords += recordCount
    this.#records += recordCount
    this.#recordsetRecords = Math.max(this.#recordsetRecords, recordCount)
  }

  /** All added recordsets, in at least one run. */
  finish(): readonly PackedFileRrsets[] {
    if (this.#lines.length > 0 || this.#packed.length === 0) this.#endRun()
    return this.#packed
  }

  #endRun(): void {
    this.#packed.push({ run: this.#writer.take(), lines: Uint32Array.from(this.#lines) })
    this.#lines = []
    this.#runRecords = 0
  }
}

/** Types that a rule covers, that the server makes, or that do not exist. No rule covers the others of the first 127. */
const ruledTypes: ReadonlySet<number> = new Set([
  0,
  types.NS,
  types.OPT,
  types.SRV,
  types.TLSA,
  types.RRSIG,
  types.NSEC,
  types.NSEC3,
  types.NSEC3PARAM,
  types.ZONEMD,
])
const lastUsualType = 127
const maxUsualOctets = 4096

/** Whether an RRset is one record of a usual type, at a name of letters, digits, `_` and inner hyphens: such an RRset
 *  cannot break any rule. */
function isUsual({
  octets,
  ownerAt,
  rdatasAt,
  rdatasEnd,
  type,
  recordCount,
}: RrsetOctets): boolean {
  if (recordCount !== 1 || type > lastUsualType || ruledTypes.has(type)) return false
  const end = nameEnd(octets, ownerAt) - 1
  if (end === ownerAt || rdatasEnd - rdatasAt > maxUsualOctets) return false
  const isWildcard = octets[ownerAt] === 1 && octets[ownerAt + 1] === star
  for (let at = isWildcard ? ownerAt + 2 : ownerAt; at < end; ) {
    const labelEnd = at + 1 + (octets[at] as number)
    if (octets[at + 1] === hyphen || octets[labelEnd - 1] === hyphen) return false
    for (at += 1; at < labelEnd; at += 1) if (usualOctets[octets[at] as number] === 0) return false
  }
  return true
}

const star = 0x2a
const hyphen = 0x2d
const usualOctets = Uint8Array.from({ length: 256 }, (_, octet) =>
  /[\w-]/.test(String.fromCharCode(octet)) ? 1 : 0,
)

/** An RRset in storable form, without duplicate records.
 *  @throws ZoneFileError the RRset could not be created */
function checked({ line, owner, type: code, ttlSeconds, rdatas: given }: FileRrset): RrsetOctets {
  const name = ownerNameText(owner)
  const type = typeMnemonic(code)
  if (given.length > maxRecords) {
    const problem = `${name} ${type} has ${given.length} records, at most ${maxRecords} fit`
    throw new ZoneFileError(line, problem)
  }
  const rdatas = distinctRdatas(code, given)
  const error = recordsetRdataErrors({ name, type, rdatas }).find(finding => finding !== undefined)
  if (error !== undefined) throw new ZoneFileError(line, error.message)
  return octetsOfRrset(owner, { type: code, ttlSeconds, rdatas })
}
