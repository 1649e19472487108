import { Worker } from 'node:worker_threads'
import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { parseName } from '../../src/dns/name.ts'
import type { TableZone } from '../../src/zone/table/table-zone.ts'
import type { ZoneTable } from '../../src/zone/table/zone-table.ts'
import { depth } from '../helpers/depth.ts'
import type { ReadingData } from '../helpers/reading-thread.ts'
import { until } from '../helpers/until.ts'
import { rrsetsFromText } from '../helpers/zone.ts'
import { openTable, tableZoneFromText } from '../helpers/zone-table.ts'

const threadCount = 2
const roundCount = 1500 * depth
const changeCount = 1000
/** Names that come and go beside those that are asked for, so that memory is used again all the time. */
const noiseCount = 3000

const soa = '3600 SOA ns1 hostmaster 1 7200 900 1209600 300'
const churnText = `
  churn.   ${soa}
  stable   60 A     192.0.2.1
  pair     60 A     192.0.2.1
  flip     60 A     192.0.2.1
  target   60 A     192.0.2.2
  x.cut    60 A     192.0.2.1
  *.wild   60 A     192.0.2.1
`

t.test('threads that read while all around them is changed see nothing torn', async t => {
  const table = openTable({ reserveOctets: 2 ** 26 })
  const target = table.addTarget()
  const churn = tableZoneFromText(table, churnText)
  target.publish(churn)
  target.publish(swapZone(table, 0))
  const changesLeft = new Int32Array(new SharedArrayBuffer(4)).fill(changeCount)
  const readers = Array.from({ length: threadCount }, () => {
    const { handle } = table.readers.open(target)
    return read({ handle, roundCount, changesLeft })
  })
  let isDone = false
  const finished = Promise.all(readers).finally(() => {
    isDone = true
  })
  let version = 0
  while (!isDone) {
    for (let i = 0; i < 50; i += 1) {
      version += 1
      changeNames(churn, version)
      changeNoise(churn, version)
      if (version % 5 === 0) target.publish(swapZone(table, version))
      table.reclaim(100)
    }
    Atomics.store(changesLeft, 0, changeCount - version)
    // A reader whose thread has no turn would otherwise keep the garbage of ever more changes.
    await until(
      () => table.reclaim(1000),
      remaining => remaining === 'nothing' || isDone,
    )
    await new Promise(setImmediate)
  }
  t.same((await finished).flat(), [])
  t.ok(table.usage.touchedOctets < 2 ** 24, `${table.usage.touchedOctets} octets`)
})

function read(workerData: ReadingData): Promise<string[]> {
  const thread = new Worker(new URL('../helpers/reading-thread.ts', import.meta.url), {
    workerData,
  })
  return new Promise((resolve, reject) => {
    thread.once('message', resolve)
    thread.once('error', reject)
  })
}

function changeNames(zone: TableZone, version: number): void {
  const octet = version % 200
  put(zone, `pair 60 A 192.0.2.${octet}\npair 60 A 198.51.100.${octet}`)
  if (version % 2 === 0) {
    put(zone, 'flip 60 A 192.0.2.1')
    zone.removeRrset(parseName('flip.churn.'), types.CNAME)
    put(zone, 'a.b.c 60 TXT here')
    put(zone, 'cut 60 NS x.cut')
    zone.removeRrset(parseName('*.wild.churn.'), types.A)
  } else {
    put(zone, 'flip 60 CNAME target')
    zone.removeRrset(parseName('flip.churn.'), types.A)
    zone.removeRrset(parseName('a.b.c.churn.'), types.TXT)
    zone.removeRrset(parseName('cut.churn.'), types.NS)
    put(zone, '*.wild 60 A 192.0.2.9')
  }
}

/** Adds a name and removes an old one, of ever different lengths. */
function changeNoise(zone: TableZone, version: number): void {
  for (let i = 0; i < 10; i += 1) {
    const number = (version * 10 + i) % noiseCount
    const owner = parseName(`${'n'.repeat(1 + (number % 50))}.${number}.noise.churn.`)
    if (zone.removeRrset(owner, types.TXT)) continue
    const text = new Uint8Array(1 + (version % 60)).fill(120)
    text[0] = text.length - 1
    zone.putRrset(owner, { type: types.TXT, ttlSeconds: 60, rdatas: [text] })
  }
}

function put(zone: TableZone, text: string): void {
  for (const rrset of rrsetsFromText(`churn. 60 HINFO a b\n${text}`).slice(1)) {
    zone.putRrset(rrset.owner, rrset)
  }
}

function swapZone(table: ZoneTable, version: number): TableZone {
  return tableZoneFromText(table, `swap. ${soa}\nwww 60 TXT ${version}\nw${version}.x 60 TXT other`)
}
