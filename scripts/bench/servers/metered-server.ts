// The answering part of Zonewright over many small zones, which meters in turns (`alternating-responder.ts`) while the
// main thread reads the counters and makes them durable. Every two seconds it prints what was measured since it last
// did.
// Usage: metered-server.ts PORT ZONE-COUNT NAMES-PER-ZONE, on 127.0.0.1

import { join } from 'node:path'
import { parseName } from '../../../src/dns/name.ts'
import { parseRdata, typeCode } from '../../../src/dns/rdata/index.ts'
import { Meter } from '../../../src/rating/metering/meter.ts'
import { countedLength } from '../../../src/rating/metering/tally.ts'
import { Listeners } from '../../../src/transport/listeners.ts'
import { adviseHugePages } from '../../../src/transport/threads/huge-pages.ts'
import type { OwnedRrset } from '../../../src/zone/rrset.ts'
import type { TableZone } from '../../../src/zone/table/table-zone.ts'
import type { TargetZones } from '../../../src/zone/table/target-zones.ts'
import type { ZoneTable } from '../../../src/zone/table/zone-table.ts'
import { createZone, openTable } from '../../../test/helpers/zone-table.ts'
import { smallZoneName } from '../load/small-zones.ts'
import { measureCount } from './alternating-responder.ts'

/** As by default. */
const flushMs = 10_000
const printMs = 2000

const [, , port, zoneCount, namesPerZone] = process.argv

let flushMicros = 0
let flushCount = 0

async function main(): Promise<void> {
  const table = openTable()
  await adviseHugePages(table.memory)
  const target = table.addTarget()
  const readers = [table.readers.open(target), table.readers.open(target)]
  if (process.env.HUGE === '1')
    for (const reader of readers) console.log(await adviseHugePages(reader.handle.counters))
  const zones = Array.from({ length: Number(zoneCount) }, (_, i) => addZone(table, target, i))
  const measured = new SharedArrayBuffer(measureCount * Float64Array.BYTES_PER_ELEMENT)
  await Listeners.open({
    addresses: [{ host: '127.0.0.1', port: Number(port) }],
    answer: () => undefined,
    report: fail,
    onFallback: fail,
    threads: {
      count: 1,
      responder: new URL('./alternating-responder.ts', import.meta.url).href,
      openReader: () => {
        const reader = table.readers.open(target)
        void adviseHugePages(reader.handle.counters)
        return { handle: { ...reader.handle, measured }, close: () => reader.close() }
      },
    },
  })
  await meterAll(table, zones)
  setInterval(() => {
    const numbers = [...new Float64Array(measured), flushMicros, flushCount]
    new Float64Array(measured).fill(0)
    flushMicros = 0
    flushCount = 0
    console.log(`measured ${JSON.stringify(numbers)}`)
  }, printMs)
}

async function meterAll(table: ZoneTable, zones: readonly TableZone[]): Promise<void> {
  const all = zones.map((zone, i) => ({
    owner: {
      zoneId: String(i),
      zoneName: smallZoneName(i),
      zoneType: 'PRIMARY',
      poolId: 'pool',
      projectId: `project ${i % 100}`,
      isSigned: false,
    },
    recordsetCount: zone.rrsetCount,
    zoneNumber: zone.number,
    createdAt: 0,
    changedAt: 0,
  }))
  const meter = await Meter.open({
    folder: join(process.cwd(), 'usage'),
    zones: {
      find: id => all[Number(id)],
      all: () => all,
      isAbandoned: () => false,
      zoneNumberCount: table.zoneNumberCount,
      findByNumber: zoneNumber => String(zones.findIndex(zone => zone.number === zoneNumber)),
      count: (zoneNumber, at) =>
        at < countedLength ? table.readers.countOfZone(zoneNumber, at) : 0,
    },
    hours: { write: async () => undefined, usedUntil: undefined },
    onTakenBack: async () => undefined,
    clock: { nowMillis: () => Date.now() },
    onEvent: fail,
  })
  setInterval(async () => {
    const before = process.threadCpuUsage()
    await meter.flush()
    const { user, system } = process.threadCpuUsage(before)
    flushMicros += user + system
    flushCount += 1
  }, flushMs)
}

function addZone(table: ZoneTable, target: TargetZones, i: number): TableZone {
  const origin = parseName(smallZoneName(i))
  const record = (owner: string, mnemonic: string, rdata: string): OwnedRrset => {
    const type = typeCode(mnemonic) ?? 0
    const rdatas = [parseRdata(type, rdata, origin)]
    return { owner: parseName(owner, origin), type, ttlSeconds: 300, rdatas }
  }
  const zone = createZone(table, [
    record('@', 'SOA', 'ns1 hostmaster 1 7200 900 1209600 300'),
    record('@', 'NS', 'ns1'),
    ...Array.from({ length: Number(namesPerZone) }, (_, n) =>
      record(`host${n}`, 'A', `192.0.2.${n}`),
    ),
  ])
  target.publish(zone)
  return zone
}

function fail(problem: unknown): never {
  throw new Error('the server does not do what is to be measured', { cause: problem })
}

await main()
