import { types } from '../dns/codes.ts'
import type { Name } from '../dns/name.ts'
import { type RecordsetRun, RunWriter, runRecordsets } from '../model/recordset-run.ts'
import { DifferenceIn, type ReceivedDifference } from '../zone/difference-in.ts'
import type { SoaNumbers } from '../zone/soa.ts'
import {
  copyDefects,
  type ReceivedTransfer,
  TransferIn,
  type ZoneCopy,
} from '../zone/transfer-in.ts'
import { messagesIn } from '../zone/transfer-pieces.ts'
import { compareSerial, failure, type TransferFailure } from '../zone/transfer-response.ts'

/** The zone from a master, packed, SOA first. */
export type PackedCopy = {
  readonly soa: SoaNumbers
  readonly recordsetCount: number
  readonly runs: readonly RecordsetRun[]
  /** The number of records left out because they are not in this zone. */
  readonly outsideCount: number
}

export type TransferReading =
  | { readonly kind: 'read'; readonly copy: PackedCopy }
  /** A difference to a newer version; whether it applies to the local copy is not known yet. */
  | { readonly kind: 'difference'; readonly difference: ReceivedDifference }
  /** The local copy is current. */
  | { readonly kind: 'current'; readonly serial: number }
  | { readonly kind: 'failed'; readonly failure: TransferFailure }

/** Reads, checks and packs a transfer. Never throws because of its content. */
export function readTransfer(received: ReceivedTransfer): TransferReading {
  if (received.type === types.IXFR) {
    const reading = readDifference(received)
    if (reading !== undefined) return reading
  }
  const transfer = new TransferIn(received)
  for (const message of messagesIn(received.pieces)) {
    const progress = transfer.receive(message)
    if (progress.kind === 'failed') return progress
    if (progress.kind === 'complete') return judged(received, progress.copy)
  }
  return { kind: 'failed', failure: failure('not-a-transfer', 'it has no end') }
}

/** Undefined where the transfer is a whole zone. */
function readDifference(received: ReceivedTransfer): TransferReading | undefined {
  const response = new DifferenceIn(received)
  for (const message of messagesIn(received.pieces)) {
    const progress = response.receive(message)
    if (progress.kind === 'zone') return undefined
    if (progress.kind === 'failed' || progress.kind === 'current') return progress
    if (progress.kind !== 'complete') continue
    const { difference } = progress
    const known = compareSerial(difference.soa.serial, received.knownSerial)
    return known ?? { kind: 'difference', difference }
  }
  return { kind: 'failed', failure: failure('not-a-transfer', 'it has no end') }
}

/** Checks the serial again: the master may have gone back to an older one since its serial was queried. */
function judged({ zone, knownSerial }: ReceivedTransfer, copy: ZoneCopy): TransferReading {
  const known = compareSerial(copy.soa.serial, knownSerial)
  if (known !== undefined) return known
  const defect = firstDefect(zone, copy)
  if (defect !== undefined) return { kind: 'failed', failure: defect }
  return { kind: 'read', copy: packCopy(copy) }
}

export function packCopy(copy: ZoneCopy): PackedCopy {
  const { soa, rrsetCount: recordsetCount, outsideCount } = copy
  return { soa, recordsetCount, runs: runsOf(copy), outsideCount }
}

function firstDefect(zone: Name, copy: ZoneCopy): TransferFailure | undefined {
  for (const defect of copyDefects(zone, copy)) return defect
  return undefined
}

function runsOf(copy: ZoneCopy): RecordsetRun[] {
  const writer = new RunWriter()
  const runs: RecordsetRun[] = []
  for (let index = 0; index < copy.rrsetCount; index += 1) {
    const rrset = copy.octetsAt(index)
    writer.addRrset(rrset, { isManaged: true, ttlSeconds: rrset.ttlSeconds })
    if (writer.count === runRecordsets) runs.push(writer.take())
  }
  if (writer.count > 0) runs.push(writer.take())
  return runs
}
