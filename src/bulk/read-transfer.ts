import { types } from '../dns/codes.ts'
import type { Name } from '../dns/name.ts'
import { type RecordsetRun, RunWriter } from '../model/recordset-run.ts'
import { DifferenceIn, type ReceivedDifference } from '../zone/difference-in.ts'
import type { SoaNumbers } from '../zone/soa.ts'
import {
  copyDefects,
  type ReceivedTransfer,
  TransferIn,
  type ZoneCopy,
} from '../zone/transfer-in.ts'
import { compareSerial, failure, type TransferFailure } from '../zone/transfer-response.ts'

/** What a master holds, packed, its SOA first. */
export type PackedCopy = {
  readonly soa: SoaNumbers
  readonly recordsetCount: number
  readonly runs: readonly RecordsetRun[]
  /** Records that were left out because they are not of this zone. */
  readonly outsideCount: number
}

export type TransferReading =
  | { readonly kind: 'read'; readonly copy: PackedCopy }
  /** Newer than the copy at hand; whether it is a change of that is not known yet. */
  | { readonly kind: 'difference'; readonly difference: ReceivedDifference }
  /** The copy at hand is the master's. */
  | { readonly kind: 'current'; readonly serial: number }
  | { readonly kind: 'failed'; readonly failure: TransferFailure }

/** Record sets that are written together. */
const runRecordsets = 500

/** Reads, judges and packs a transfer. Never throws for what is in it. */
export function readTransfer(received: ReceivedTransfer): TransferReading {
  if (received.type === types.IXFR) {
    const reading = readDifference(received)
    if (reading !== undefined) return reading
  }
  const transfer = new TransferIn(received)
  for (const message of received.messages) {
    const progress = transfer.receive(message)
    if (progress.kind === 'failed') return progress
    if (progress.kind === 'complete') return judged(received, progress.copy)
  }
  return { kind: 'failed', failure: failure('not-a-transfer', 'it has no end') }
}

/** Undefined where it is a whole zone. */
function readDifference(received: ReceivedTransfer): TransferReading | undefined {
  const response = new DifferenceIn(received)
  for (const message of received.messages) {
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

/** The zone may have gone back to an older serial since its serial was asked for. */
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
