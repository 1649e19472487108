import { type PackedCopy, packCopy } from '../../src/bulk/read-transfer.ts'
import { decodeMessage } from '../../src/dns/message.ts'
import { type Name, parseName } from '../../src/dns/name.ts'
import type { TransferClient } from '../../src/service/secondaries/master-refresh.ts'
import { soaNumbersIn } from '../../src/zone/soa.ts'
import {
  type ReceivedTransfer,
  type SerialRequest,
  TransferIn,
  type TransferRequest,
  type TransferResult,
} from '../../src/zone/transfer-in.ts'
import { messagesIn } from '../../src/zone/transfer-pieces.ts'
import type { SerialVerdict } from '../../src/zone/transfer-response.ts'
import { noQuota, piecesOf, recordsFromText, transferMessage } from './transfer.ts'

/** Returns the copy that a transfer of this text would be; its first line is the SOA. */
export function copyFromText(text: string, zone: Name = parseName('example.')): PackedCopy {
  const received = receivedFromText(text, zone)
  const transfer = new TransferIn(received)
  const last = [...messagesIn(received.pieces)].map(message => transfer.receive(message)).at(-1)
  if (last?.kind !== 'complete') throw new Error(JSON.stringify(last))
  return packCopy(last.copy)
}

function receivedFromText(text: string, zone: Name): ReceivedTransfer {
  const records = recordsFromText(zone, text)
  const [soa] = records
  const all = soa === undefined ? [] : [...records, soa]
  const messages: Uint8Array[] = []
  for (let at = 0; at < all.length; at += 500) {
    messages.push(transferMessage({ id: 1, zone, records: all.slice(at, at + 500) }))
  }
  const limits = { maxRecords: 1e6, maxOctets: 1e9 }
  const bounds = { limits, quota: noQuota, hashSeed: 1, knownSerial: undefined }
  return { zone, id: 1, pieces: piecesOf(messages), ...bounds }
}

export function transferred(text: string): TransferResult {
  return { kind: 'received', transfer: receivedFromText(text, parseName('example.')) }
}

export function failedWith(reason: string): TransferResult {
  return { kind: 'failed', failure: { kind: 'refused', reason } }
}

type Script = (
  request: TransferRequest,
  signal: AbortSignal,
) => TransferResult | Promise<TransferResult>

/** A client whose masters behave as the test sets them, and that records the requests made to it. */
export class ScriptedClient implements TransferClient {
  readonly asked: TransferRequest[] = []
  readonly askedForSerial: string[] = []
  script: Script

  constructor(script: Script) {
    this.script = script
  }

  /** As what would be transferred says. */
  async askSerial(request: SerialRequest, signal: AbortSignal): Promise<SerialVerdict> {
    this.askedForSerial.push(request.master.host)
    const wanted = { knownSerial: undefined, quota: noQuota, hold: () => true }
    const result = await this.script({ ...request, ...wanted }, signal)
    if (result.kind === 'failed') return result
    if (result.kind === 'current') return { kind: 'serial', serial: result.serial }
    const [message = new Uint8Array()] = messagesIn(result.transfer.pieces)
    const [soa] = decodeMessage(message).answers
    if (soa === undefined) throw new Error('no SOA')
    return { kind: 'serial', serial: soaNumbersIn(soa.rdata).serial }
  }

  async transfer(request: TransferRequest, signal: AbortSignal): Promise<TransferResult> {
    this.asked.push(request)
    return this.script(request, signal)
  }

  get askedHosts(): string[] {
    return this.asked.map(({ master }) => master.host)
  }
}
