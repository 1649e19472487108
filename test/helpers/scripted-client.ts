import { type Name, parseName } from '../../src/dns/name.ts'
import type { TransferClient } from '../../src/service/transfer-client.ts'
import {
  TransferIn,
  type TransferRequest,
  type TransferResult,
  type ZoneCopy,
} from '../../src/zone/transfer-in.ts'
import { recordsFromText, transferMessage } from './transfer.ts'

/** Returns the copy that a transfer of this text would be; its first line is the SOA. */
export function copyFromText(text: string, zone: Name = parseName('example.')): ZoneCopy {
  const limits = { maxRecords: 1e6, maxOctets: 1e9 }
  const transfer = new TransferIn({ zone, id: 1, limits, hashSeed: 1 })
  const records = recordsFromText(zone, text)
  for (let at = 0; at < records.length; at += 500) {
    transfer.receive(transferMessage({ id: 1, zone, records: records.slice(at, at + 500) }))
  }
  const progress = transfer.receive(transferMessage({ id: 1, zone, records: records.slice(0, 1) }))
  if (progress.kind !== 'complete') throw new Error(JSON.stringify(progress))
  return progress.copy
}

export function transferred(text: string): TransferResult {
  return { kind: 'transferred', copy: copyFromText(text) }
}

export function failedWith(reason: string): TransferResult {
  return { kind: 'failed', failure: { kind: 'refused', reason } }
}

type Script = (
  request: TransferRequest,
  signal: AbortSignal,
) => TransferResult | Promise<TransferResult>

/** A client whose masters do what a test wants, and that remembers what it was asked. */
export class ScriptedClient implements TransferClient {
  readonly asked: TransferRequest[] = []
  script: Script

  constructor(script: Script) {
    this.script = script
  }

  async transfer(request: TransferRequest, signal: AbortSignal): Promise<TransferResult> {
    this.asked.push(request)
    return this.script(request, signal)
  }

  get askedHosts(): string[] {
    return this.asked.map(({ master }) => master.host)
  }
}
