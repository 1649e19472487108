import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { formatName, parseName } from '../../../src/dns/name.ts'
import { openResponder } from '../../../src/nameserver/responder.ts'
import { Counters, readerCounts, tcpCounts, zoneCounts } from '../../../src/zone/table/counters.ts'
import { ReaderEpoch } from '../../../src/zone/table/epochs.ts'
import { FrozenTable } from '../../../src/zone/table/frozen-table.ts'
import { TableMemory } from '../../../src/zone/table/memory.ts'
import type { Target } from '../../../src/zone/table/readers.ts'
import type { ZoneTable } from '../../../src/zone/table/zone-table.ts'
import { queryFor } from '../../helpers/ask.ts'
import { openTable, tableZoneFromText } from '../../helpers/zone-table.ts'

const soa = '3600 SOA ns1 hostmaster 1 7200 900 1209600 300'

function frozen(table: ZoneTable): FrozenTable {
  const { image } = table
  const memory = new SharedArrayBuffer(image.length)
  new Uint8Array(memory).set(image)
  return new FrozenTable(memory)
}

function answerTo(question: string, { table, zones }: Pick<Served, 'table' | 'zones'>): string {
  const responder = openResponder(table.readers.open(zones).handle)
  const response = new Uint8Array(1232)
  const query = queryFor(question)
  responder.enter()
  responder.take(0, query, query.length, 'udp')
  const octets = responder.respond(0, response)
  responder.leave()
  return Buffer.from(response.subarray(0, octets)).toString('hex')
}

type Served = { readonly table: ZoneTable | FrozenTable; readonly zones: Target }

t.test('a copy is answered from as the table was, whatever becomes of that', async t => {
  const table = openTable()
  const [zones, others] = [table.addTarget(), table.addTarget()]
  const hosts = Array.from({ length: 3000 }, (_, i) => `Host${i} 60 A 192.0.2.${i % 250}`)
  zones.publish(tableZoneFromText(table, `example. ${soa}\n* 60 TXT "x"\n${hosts.join('\n')}`))
  others.publish(tableZoneFromText(table, `other. ${soa}`))
  const questions = ['host7.example. A', 'nowhere.example. TXT', 'example. SOA', 'other. SOA']
  const before = questions.map(question => answerTo(question, { table, zones }))
  const copy = frozen(table)
  zones.withdraw(parseName('example.'))
  table.reclaim(10_000)
  const after = questions.map(question => answerTo(question, { table: copy, zones }))
  t.same(after, before)
  t.not(answerTo('host7.example. A', { table, zones }), before[0])
})

t.test('a copy of a table without zones refuses', async t => {
  const table = openTable()
  const zones = table.addTarget()
  const copy = frozen(table)
  t.equal(
    answerTo('example. SOA', { table: copy, zones }),
    answerTo('example. SOA', { table, zones }),
  )
  t.same([...copy.zoneNumbers(zones)], [])
})

t.test('who read the table does not read the copy', async t => {
  const table = openTable()
  const zones = table.addTarget()
  const { handle } = table.readers.open(zones)
  new ReaderEpoch(new TableMemory(handle.memory), handle.reader).enter()
  const empty = frozen(openTable())
  const readersAt = 1024
  const readers = (memory: SharedArrayBuffer) =>
    new Int32Array(memory).slice(readersAt, readersAt + 64)
  t.ok(readers(table.memory).some(word => word !== 0))
  t.same(readers(frozen(table).memory), readers(empty.memory))
})

t.test('what was counted for the zones of a copy goes on in a table that has them too', async t => {
  const table = openTable()
  const zones = table.addTarget()
  for (const name of ['a', 'b', 'c']) zones.publish(tableZoneFromText(table, `${name}. ${soa}`))
  const copy = frozen(table)
  const zoneNumber = Array.from(copy.zoneNumbers(zones), ({ apex, zoneNumber }) => [
    formatName(apex),
    zoneNumber,
  ])
  t.same(Object.fromEntries(zoneNumber), { 'a.': 0, 'b.': 1, 'c.': 2 })
  for (const times of [1, 2]) {
    const counters = new Counters(copy.readers.open(zones).handle.counters)
    for (let i = 0; i < times; i += 1) {
      counters.count(readerCounts.octets, 10)
      counters.countZone(1, zoneCounts.noError, 100)
      counters.countZone(2, zoneCounts.nxDomain + tcpCounts, 100)
    }
  }
  const next = openTable()
  const reader = next.readers.open(next.addTarget())
  const own = new Counters(reader.handle.counters)
  own.countZone(5, zoneCounts.noError, 100)
  next.readers.addCounts(copy.readers, [
    { from: 1, to: 5 },
    { from: 2, to: 0 },
  ])
  const { noError, nxDomain, octets } = zoneCounts
  t.equal(next.readers.countOfZone(5, noError), 4)
  t.equal(next.readers.countOfZone(5, octets), 400)
  t.equal(next.readers.countOfZone(0, nxDomain + tcpCounts), 3)
  t.equal(next.readers.countOfZone(1, noError), 0)
  const ofReaders = next.readers.counters.map(buffer =>
    new Counters(buffer).get(readerCounts.octets),
  )
  t.same(ofReaders, [0, 30])
  t.equal(own.get(readerCounts.rcodes), 0)
  // Who sits down there next counts on.
  t.equal(next.readers.open({ ref: types.A }).handle.reader, 1)
})
