import type { PackedCopy } from '../../src/bulk/read-transfer.ts'
import { classes, types } from '../../src/dns/codes.ts'
import type { Edns } from '../../src/dns/edns.ts'
import { flags } from '../../src/dns/header.ts'
import { encodeMessage, type ResourceRecord } from '../../src/dns/message.ts'
import { formatName, type Name, parseName } from '../../src/dns/name.ts'
import { formatRdata, parseRdata, typeMnemonic } from '../../src/dns/rdata/index.ts'
import { recordsetUnpacker } from '../../src/model/packed-recordset.ts'
import { recordsetsOf } from '../../src/model/recordset-run.ts'
import type { OwnedRrset } from '../../src/zone/rrset.ts'
import type { TransferQuota, ZoneCopy } from '../../src/zone/transfer-in.ts'
import { TransferPieces } from '../../src/zone/transfer-pieces.ts'
import { codeOf } from './zone.ts'

// Transfers as text and as messages, for tests of receivers.

export const noQuota: TransferQuota = {
  maxRrsets: Number.POSITIVE_INFINITY,
  maxRecords: Number.POSITIVE_INFINITY,
  maxRrsetRecords: Number.POSITIVE_INFINITY,
  maxOctets: Number.POSITIVE_INFINITY,
}

/** Reads records, one a line, `owner ttl type rdata`, in order and with repetitions. Names
 *  may be relative to `apex`; a class other than IN stands before the type as `CLASSn`. */
export function recordsFromText(apex: Name, text: string): ResourceRecord[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    .map(line => recordFromLine(apex, line))
}

/** Returns the lines of RRsets, `owner ttl type rdata`, names absolute. */
export function rrsetsOf(copy: ZoneCopy): OwnedRrset[] {
  return Array.from({ length: copy.rrsetCount }, (_, index) => copy.rrsetAt(index))
}

export function linesOf(rrsets: readonly OwnedRrset[]): string[] {
  return rrsets.flatMap(({ owner, type, ttlSeconds, rdatas }) =>
    rdatas.map(rdata =>
      [formatName(owner), ttlSeconds, typeMnemonic(type), formatRdata(type, rdata)].join(' '),
    ),
  )
}

/** The messages as a transfer holds them. */
export function piecesOf(messages: readonly Uint8Array[]): readonly Uint8Array[] {
  const held = new TransferPieces()
  for (const message of messages) held.add(message)
  return held.pieces
}

/** As `linesOf`, of a packed copy. */
export function linesOfCopy({ runs }: PackedCopy): string[] {
  return runs.flatMap(run =>
    [...recordsetsOf(run)].flatMap(packed => {
      const { name, ttlSeconds, type, records } = recordsetUnpacker.unpack(packed)
      const owner = formatName(parseName(name))
      return records.map(record => [owner, ttlSeconds, type, record].join(' '))
    }),
  )
}

export type TransferMessage = {
  readonly id: number
  readonly zone: Name
  readonly records: readonly ResourceRecord[]
  /** AXFR unless given. */
  readonly type?: number
  readonly rcode?: number
  /** All of them; a positive authoritative response unless given. */
  readonly flags?: number
  readonly hasQuestion?: boolean
  readonly edns?: Edns
}

export const transferFlags = flags.response | flags.authoritative

/** Encodes one message of a transfer, correct unless the caller asks otherwise. */
export function transferMessage(message: TransferMessage): Uint8Array {
  const { id, zone, records, type = types.AXFR, rcode = 0, hasQuestion = true } = message
  return encodeMessage({
    header: { id, flags: (message.flags ?? transferFlags) | rcode },
    questions: hasQuestion ? [{ name: zone, type, class: classes.in }] : [],
    answers: records,
    authorities: [],
    additionals: [],
    ...(message.edns && { edns: message.edns }),
  })
}

/** Splits a list at random places; every part has at least one. */
export function splitAt<T>(items: readonly T[], cuts: readonly number[]): T[][] {
  const places = [...new Set(cuts.map(cut => 1 + (cut % Math.max(1, items.length - 1))))]
  const bounds = [0, ...places.filter(at => at < items.length).sort((a, b) => a - b), items.length]
  return bounds.slice(1).map((end, i) => items.slice(bounds[i], end))
}

function recordFromLine(apex: Name, line: string): ResourceRecord {
  const parts = /^(\S+)\s+(\d+)\s+(?:CLASS(\d+)\s+)?(\S+)\s*(.*)$/.exec(line) ?? []
  const [, ownerText = '', ttlText = '', classText, mnemonic = '', rdataText = ''] = parts
  const type = codeOf(mnemonic)
  return {
    owner: parseName(ownerText, apex),
    type,
    class: classText === undefined ? classes.in : Number(classText),
    ttlSeconds: Number(ttlText),
    rdata: parseRdata(type, rdataText, apex),
  }
}
