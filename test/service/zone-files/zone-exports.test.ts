import t from 'tap'
import { lowerCaseName, parseName } from '../../../src/dns/name.ts'
import type { Caller } from '../../../src/identity/caller.ts'
import { packRun } from '../../../src/model/recordset-run.ts'
import { maxTasksPerProject } from '../../../src/service/listing/tasks.ts'
import { storedZoneText } from '../../../src/service/zone-files/zone-text.ts'
import { parseZoneFile } from '../../../src/zone/zone-file/parse.ts'
import { addresses, callerOf, openDns, primary, secondary } from '../../helpers/dns.ts'

const one = callerOf('one')

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

t.test(
  'a text is of the moment at which its first piece is read, whatever changes while it is sent',
  async t => {
    const dns = await openDns()
    const zone = await dns.zones.create(one, primary('a.example.'))
    await dns.recordsets.create(one, zone.id, addresses('x.a.example.'))
    const { id } = await dns.zoneExports.create(one, zone.id)
    const serial = dns.zones.get(one, zone.id).serial
    const pieces = (await dns.zoneExports.text(one, id))[Symbol.asyncIterator]()
    const first = await pieces.next()
    await dns.recordsets.create(one, zone.id, addresses('y.a.example.'))
    const rest = { [Symbol.asyncIterator]: () => pieces }
    const text = first.value + (await textOf(rest))
    t.match(text, new RegExp(` IN SOA \\S+ \\S+ ${serial} `))
    t.notMatch(text, 'y.a.example.')
  },
)

t.test('the SOA is the first record of a text, wherever it is among the recordsets', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(one, primary('a.example.'))
  const rows = [...dns.store.list('recordsets', 'byZone', zone.id)]
  const soa = rows.filter(({ type }) => type === 'SOA')
  const others = rows.filter(({ type }) => type !== 'SOA')
  const texts: string[] = []
  for (const parts of [[soa, others], [others, soa], [[...others, ...soa]]])
    texts.push(await textOf(storedZoneText({ zone, runs: parts.map(part => packRun(part)) })))
  t.match(texts[0]?.split('\n')[3], / SOA /)
  t.same(new Set(texts).size, 1)
})

t.test('a project keeps its newest exports', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(one, primary('a.example.'))
  const ids: string[] = []
  for (let i = 0; i < maxTasksPerProject + 3; i += 1)
    ids.push((await dns.zoneExports.create(one, zone.id)).id)
  const kept = Array.from(dns.store.list('zoneExports', 'byProject', one.projectId), row => row.id)
  t.same(kept, ids.slice(3))
})

t.test('a text read back is the zone', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(one, primary('a.example.', { ttlSeconds: 300 }))
  for (let i = 0; i < 100; i += 1) {
    await dns.recordsets.create(
      one,
      zone.id,
      addresses(`h${i}.a.example.`, '192.0.2.1', '192.0.2.2'),
    )
  }
  const { id } = await dns.zoneExports.create(one, zone.id)
  const records = [...parseZoneFile(await textOf(await dns.zoneExports.text(one, id)))]
  const image = dns.served.get(parseName('a.example.'))
  const served = [...(image?.rrsets() ?? [])].flatMap(({ owner, type, ttlSeconds, rdatas }) =>
    rdatas.map(
      rdata =>
        `${lowerCaseName(owner)} ${type} ${ttlSeconds} ${Buffer.from(rdata).toString('hex')}`,
    ),
  )
  const read = records.map(
    ({ owner, type, ttlSeconds, rdata }) =>
      `${lowerCaseName(owner)} ${type} ${ttlSeconds} ${Buffer.from(rdata).toString('hex')}`,
  )
  t.same(read.sort(), served.sort())
})

t.test('a copy that is being replaced is no whole zone', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(one, secondary('copy.example.'))
  const row = await dns.zoneExports.create(one, zone.id)
  const put = (isReplacing: boolean) =>
    dns.store.commit(tx => {
      const stored = tx.get('zones', zone.id)
      if (stored?.transfer === undefined) throw new Error('not a SECONDARY')
      tx.put('zones', {
        ...stored,
        transferredAt: 1,
        transfer: { ...stored.transfer, isReplacing },
      })
    })
  t.equal(dns.zoneExports.stateOf(row).status, 'PENDING')
  await put(true)
  t.equal(dns.zoneExports.stateOf(row).status, 'PENDING')
  await put(false)
  t.equal(dns.zoneExports.stateOf(row).status, 'COMPLETE')
})

t.test('an export is deleted once, whoever asks at the same time', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(one, primary('a.example.'))
  const { id } = await dns.zoneExports.create(one, zone.id)
  const [first, second] = await Promise.allSettled(
    [1, 2].map(() => dns.zoneExports.delete(one, id)),
  )
  t.equal(first?.status, 'fulfilled')
  t.match(second, { status: 'rejected', reason: { type: 'zone_export_not_found' } })
})

t.test('texts of one project that nobody reads on leave room for those of others', async t => {
  const dns = await openDns()
  const other = callerOf('other')
  const exported = async (caller: Caller, name: string) => {
    const zone = await dns.zones.create(caller, primary(name))
    const { id } = await dns.zoneExports.create(caller, zone.id)
    return async () => (await dns.zoneExports.text(caller, id))[Symbol.asyncIterator]()
  }
  const open = await exported(one, 'example.com.')
  const slow = await Promise.all([open(), open(), open(), open()])
  for (const text of slow) t.match(await text.next(), { value: /SOA/ })
  const fifth = await open()
  let isSent = false
  const first = fifth.next().finally(() => {
    isSent = true
  })
  const others = await (await exported(other, 'example.net.'))()
  t.match(await others.next(), { value: /SOA/ })
  t.equal(isSent, false)
  await slow[0]?.return?.()
  t.match(await first, { value: /SOA/ })
})

t.test('a text counts for the project that reads it, and not for that of the zone', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(one, primary('example.com.'))
  const { id } = await dns.zoneExports.create(one, zone.id)
  const operator = { ...callerOf('operators', 'admin'), hasAllProjects: true }
  const begun = async (text: Promise<AsyncIterable<string>>) =>
    (await (await text)[Symbol.asyncIterator]().next()).value
  for (let i = 0; i < 2; i += 1) {
    t.match(await begun(dns.zoneExports.text(operator, id)), /SOA/)
    t.match(await begun(dns.zoneExports.textOfZone(operator, zone.id)), /SOA/)
  }
  t.match(
    await begun(dns.zoneExports.text(one, id)),
    /SOA/,
    'while the administrator has no place left',
  )
})
