// Question: does anything that a stranger sends break what reads it?
// Method: messages of the corpus (`load/corpus/TARGET.hex`, one in hexadecimal a line), damaged in one to four places, are given to a
//   target for so many seconds. What throws is printed with its message, which then belongs into the corpus.
// A good number: nothing thrown, none that takes 50 ms of processor time, and no more memory at the end than after a tenth of the time.
// Not measured: what only several messages together do, connections, HTTP/2.
// Options: --target message,tsig,answer,update,transfer,difference,catalog, --seconds 600, --seed 1

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
import { openResponder } from '../../src/nameserver/responder.ts'
import { hmac } from '../../src/transport/hmac.ts'
import { applyUpdate, judgePrerequisites, readUpdate } from '../../src/zone/update.ts'
import { Dice } from '../../test/helpers/dice.ts'
import { damagedRequest } from '../../test/helpers/hostile-packets.ts'
import { someKey, unixSeconds } from '../../test/helpers/tsig-client.ts'
import { openTable, tableZoneFromText } from '../../test/helpers/zone-table.ts'
import { machineLine } from './report/machine.ts'

const slowMs = 50

type Target = (octets: Uint8Array<ArrayBuffer>) => void

const key = someKey()
const zone = parseName('example.')
const basis = { rrsetsAt: () => [] }

/** What is refused is refused by a FormatError, and by nothing else. */
function orFormatError(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
  }
}

function transferred(type: number, octets: Uint8Array<ArrayBuffer>) {
  const limits = { maxRecords: 1000, maxOctets: 1 << 16 }
  const messages = [octets]
  return readTransfer({ zone, id: 4711, type, limits, hashSeed: 1, messages, knownSerial: 5 })
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
  answer() {
    const table = openTable()
    const served = table.addTarget()
    served.publish(
      tableZoneFromText(table, 'example. 300 SOA ns host 7 1 2 3 4\nwww 60 A 192.0.2.1'),
    )
    const responder = openResponder(table.readers.open(served).handle, defect => {
      throw defect
    })
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

function fuzz(name: string, use: Target): void {
  const corpus = corpusOf(name)
  const dice = new Dice(Number(values.seed))
  const wholeMs = Number(values.seconds) * 1000
  const startedAt = performance.now()
  let count = 0
  let slowestMs = 0
  let residentBefore = 0
  for (let nowMs = 0; nowMs < wholeMs; count += 1) {
    const octets =
      count < corpus.length ? (corpus[count] as Uint8Array) : damagedRequest(corpus, dice)
    try {
      const before = process.threadCpuUsage()
      use(new Uint8Array(octets))
      const { user, system } = process.threadCpuUsage(before)
      slowestMs = Math.max(slowestMs, (user + system) / 1000)
    } catch (error) {
      console.log(`${name}: ${Buffer.from(octets).toString('hex')}`)
      console.log(error)
      process.exitCode = 1
      return
    }
    nowMs = performance.now() - startedAt
    if (residentBefore === 0 && nowMs > wholeMs / 10) residentBefore = process.memoryUsage.rss()
  }
  const grown = Math.round((process.memoryUsage.rss() - residentBefore) / 1e6)
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
