// Question: does any input from the network break the code that reads it?
// Method: messages of the corpus (`load/corpus/TARGET.hex`, one in hexadecimal a line), damaged in one to four places, are given to a
//   target for so many seconds. An error is printed with its message, which then belongs in the corpus.
// A good number: nothing thrown, none that takes 50 ms of processor time each time, and no more in use behind a collection at the end than
//   after a tenth of the time.
// Not measured: what only several messages together do, connections, the frames of HTTP/2, which Node reads.
// Options: --target message,tsig,answer,notify,update,transfer,difference,catalog,https, --seconds 600, --seed 1

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readTransfer } from '../../src/bulk/read-transfer.ts'
import { rcodes, types } from '../../src/dns/codes.ts'
import { FormatError } from '../../src/dns/format-error.ts'
import { decodeMessage, encodeMessage } from '../../src/dns/message.ts'
import { parseName } from '../../src/dns/name.ts'
import { findTsig, TsigAnswers, verifyTsig } from '../../src/dns/tsig-verifier.ts'
import { CatalogReader } from '../../src/model/catalog.ts'
import { recordsetUnpacker } from '../../src/model/packed-recordset.ts'
import { recordsetsOf } from '../../src/model/recordset-run.ts'
import { openResponder, type Responder } from '../../src/nameserver/responder.ts'
import { answerFrom } from '../../src/transport/answer.ts'
import { hmac } from '../../src/transport/hmac.ts'
import { HttpsExchange } from '../../src/transport/https-connection.ts'
import { readHead } from '../../src/transport/https-message.ts'
import { collectGarbage } from '../../src/transport/threads/freed-memory.ts'
import { applyUpdate, judgePrerequisites, readUpdate } from '../../src/zone/update.ts'
import { Dice } from '../../test/helpers/dice.ts'
import { damagedRequest } from '../../test/helpers/hostile-packets.ts'
import { noQuota, piecesOf } from '../../test/helpers/transfer.ts'
import { someKey, unixSeconds } from '../../test/helpers/tsig-client.ts'
import { openTable, tableZoneFromText } from '../../test/helpers/zone-table.ts'
import { machineLine } from './report/machine.ts'

const slowMs = 50

type Target = (octets: Uint8Array<ArrayBuffer>) => void

const key = someKey()
const zone = parseName('example.')
const basis = { rrsetsAt: () => [] }

/** Refusals must be FormatErrors. */
function orFormatError(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
  }
}

function transferred(type: number, octets: Uint8Array<ArrayBuffer>) {
  const limits = { maxRecords: 1000, maxOctets: 1 << 16 }
  const pieces = piecesOf([octets])
  const bounds = { limits, quota: noQuota, hashSeed: 1, knownSerial: 5 }
  return readTransfer({ zone, id: 4711, type, pieces, ...bounds })
}

function fail(defect: unknown): never {
  throw defect
}

function servingResponder(): Responder {
  const table = openTable()
  const served = table.addTarget()
  served.publish(tableZoneFromText(table, 'example. 300 SOA ns host 7 1 2 3 4\nwww 60 A 192.0.2.1'))
  return openResponder(table.readers.open(served).handle, fail)
}

/** Both for what is asked and for NOTIFY. */
function answering(): Target {
  const responder = servingResponder()
  responder.host = {
    onNotified: () => true,
    onTransfer: () => true,
    onUpdate: () => true,
    readClient: () => 0,
    nowSeconds: () => 0,
    unixSeconds: () => unixSeconds,
    hmac,
  }
  const room = new Uint8Array(0xffff)
  return octets => {
    for (const transport of ['udp', 'tcp'] as const) {
      responder.enter()
      responder.take(0, octets, octets.length, transport)
      responder.respond(0, room)
      responder.leave()
    }
  }
}

/** As HTTP/1.1 has it, read without care. */
function httpRequest(octets: Uint8Array) {
  const end = Buffer.from(octets).indexOf('\r\n\r\n')
  const text = Buffer.from(octets.subarray(0, end < 0 ? octets.length : end)).toString('latin1')
  const [line = '', ...fields] = text.split('\r\n')
  const [method = '', target = ''] = line.split(' ')
  const contentType = fields.find(field => /^content-type: /i.test(field))?.slice(14)
  const content = end < 0 ? new Uint8Array() : octets.subarray(end + 4)
  return { head: { method, target, contentType, contentOctets: content.length }, content }
}

const targets: Readonly<Record<string, () => Target>> = {
  message: () => octets => orFormatError(() => encodeMessage(decodeMessage(octets))),
  tsig: () => octets =>
    orFormatError(() => {
      const found = findTsig(octets)
      if (found === undefined) return
      verifyTsig({ octets, ...found }, { findKey: () => key, hmac, nowSeconds: unixSeconds })
      try {
        new TsigAnswers(key, hmac, new Uint8Array(32)).take(octets, unixSeconds)
      } catch (error) {
        if ((error as Error).name === 'TypeError') throw error
      }
    }),
  answer: answering,
  notify: answering,
  https() {
    const exchange = new HttpsExchange(
      answerFrom(servingResponder(), undefined, () => undefined),
      fail,
    )
    return octets => {
      const { head, content } = httpRequest(octets)
      const found = readHead(head)
      if (found === 'content') exchange.respond(content, '192.0.2.1')
      else if (found instanceof Uint8Array) exchange.respond(found, '192.0.2.1')
    }
  },
  update: () => octets => {
    const update = readUpdate(octets)
    if (typeof update === 'number') return
    if (judgePrerequisites(update, basis) === rcodes.noError) applyUpdate(update, basis)
  },
  transfer: () => octets => void transferred(types.AXFR, octets),
  difference: () => octets => void transferred(types.IXFR, octets),
  catalog: () => octets => {
    const reading = transferred(types.AXFR, octets)
    if (reading.kind !== 'read') return
    const reader = new CatalogReader('example.')
    for (const run of reading.copy.runs) {
      for (const packed of recordsetsOf(run)) reader.add(recordsetUnpacker.unpack(packed))
    }
    reader.read()
  },
}

const { values } = parseArgs({
  options: {
    target: { type: 'string', default: Object.keys(targets).join() },
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string', default: '1' },
  },
})

function corpusOf(name: string): Uint8Array[] {
  const file = join(import.meta.dirname, 'load', 'corpus', `${name}.hex`)
  const lines = readFileSync(file, 'latin1').split('\n')
  return lines.filter(line => line !== '').map(line => new Uint8Array(Buffer.from(line, 'hex')))
}

function cpuMsOf(use: Target, octets: Uint8Array): number {
  const before = process.threadCpuUsage()
  use(new Uint8Array(octets))
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** The memory in use after a collection. An ordinary one leaves up to 90 MB of buffers to be freed later. */
function usedOctets(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function fuzz(name: string, use: Target): void {
  const corpus = corpusOf(name)
  const dice = new Dice(Number(values.seed))
  const wholeMs = Number(values.seconds) * 1000
  const startedAt = performance.now()
  let count = 0
  let slowestMs = 0
  let usedBefore = 0
  for (let nowMs = 0; nowMs < wholeMs; count += 1) {
    const octets =
      count < corpus.length ? (corpus[count] as Uint8Array) : damagedRequest(corpus, dice)
    try {
      const ms = cpuMsOf(use, octets)
      // If it is slow each time, the message is the cause; if only once, the collector or the compiler.
      if (ms > slowestMs) slowestMs = Math.max(slowestMs, Math.min(ms, cpuMsOf(use, octets)))
    } catch (error) {
      console.log(`${name}: ${Buffer.from(octets).toString('hex')}`)
      console.log(error)
      process.exitCode = 1
      return
    }
    nowMs = performance.now() - startedAt
    if (usedBefore === 0 && nowMs > wholeMs / 10) usedBefore = usedOctets()
  }
  const grown = Math.round((usedOctets() - usedBefore) / 1e6)
  const slow = slowestMs > slowMs ? ', which is slow' : ''
  console.log(
    `${name}: ${count} messages, nothing thrown; the slowest took ${slowestMs.toFixed(1)} ms${slow}; memory grew by ${grown} MB`,
  )
}

for (const name of values.target.split(',')) {
  const open = targets[name]
  if (open === undefined) throw new Error(`there is no target ${name}`)
  fuzz(name, open())
}
console.log(machineLine())
