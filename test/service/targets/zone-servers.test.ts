import t from 'tap'
import { defaultPoolId } from '../../../src/model/pool.ts'
import { HostAddresses } from '../../../src/service/targets/host-addresses.ts'
import { type AskServer, ZoneServers } from '../../../src/service/targets/zone-servers.ts'
import { addresses, callerOf, openDns, primary } from '../../helpers/dns.ts'

async function open(ask: AskServer) {
  const dns = await openDns()
  const pool = dns.store.get('pools', defaultPoolId)!
  await dns.store.commit(tx =>
    tx.put('pools', { ...pool, attributes: { check: '192.0.2.7:5353' } }),
  )
  const zone = await dns.zones.create(callerOf('one'), primary('example.com.'))
  const hosts = new HostAddresses({ resolveHost: async () => ['192.0.2.53', '2001:db8::53'] })
  return { ...dns, zone, servers: new ZoneServers({ store: dns.store, hosts, ask }) }
}

t.test('each server is asked, and compared with what is stored', async t => {
  const asked: string[] = []
  const { recordsets, servers, zone } = await open(async ({ host, port }, { name, type }) => {
    asked.push(`${host} ${port} ${name} ${type}`)
    if (host === '192.0.2.7') return { reason: 'no answer' }
    const records = host === '192.0.2.53' ? ['192.0.2.1', '192.0.2.2'] : ['192.0.2.1']
    return { rcode: 'NOERROR', isAuthoritative: true, ttlSeconds: 3600, records }
  })
  const row = addresses('www.example.com.', '192.0.2.2', '192.0.2.1')
  await recordsets.create(callerOf('one'), zone.id, row)
  const question = { name: 'www.example.com.', type: 'A' }
  const ofOwner = await servers.ask(callerOf('one'), zone.id, question)
  t.same(ofOwner.stored, { ttlSeconds: 3600, records: ['192.0.2.1', '192.0.2.2'] })
  t.same(
    ofOwner.servers.map(({ address, isSame }) => `${address} ${isSame}`),
    ['192.0.2.53:53 true', '[2001:db8::53]:53 false'],
    'what the pool checks is the operator’s',
  )
  t.same(asked, ['192.0.2.53 53 www.example.com. A', '2001:db8::53 53 www.example.com. A'])
  const operator = { ...callerOf('one', 'admin'), hasAllProjects: true }
  const ofOperator = await servers.ask(operator, zone.id, { name: undefined, type: 'SOA' })
  t.match(ofOperator.servers.at(-1), {
    address: '192.0.2.7:5353',
    isSame: false,
    answer: { reason: 'no answer' },
  })
  t.match(ofOperator, { name: 'example.com.', type: 'SOA', stored: { records: [/example/] } })
})

t.test('names in any case and records in any spelling are the same', async t => {
  const { recordsets, servers, zones } = await open(async () => {
    const records = ['"v=spf1 -all"', '"x"']
    return { rcode: 'NOERROR', isAuthoritative: true, ttlSeconds: 3600, records }
  })
  const zone = await zones.create(callerOf('one'), primary('Example.ORG.'))
  const row = { ...addresses('Example.ORG.', 'x', '"v=spf1\\032-all"'), type: 'TXT' }
  await recordsets.create(callerOf('one'), zone.id, row)
  const answers = await servers.ask(callerOf('one'), zone.id, { name: undefined, type: 'TXT' })
  t.same(
    answers.servers.map(({ isSame }) => isSame),
    [true, true],
  )
})

t.test('what is elsewhere or nothing is not asked for, nor is it by others', async t => {
  const { servers, zone } = await open(async () => {
    throw new Error('nobody is to be asked')
  })
  const refused = (name: string | undefined, type: string, project = 'one') =>
    servers.ask(callerOf(project), zone.id, { name, type }).then(
      () => 'asked',
      (error: { type: string }) => error.type,
    )
  t.equal(await refused('example.org.', 'A'), 'bad_request')
  t.equal(await refused('notexample.com.', 'A'), 'bad_request')
  t.equal(await refused(`${'a'.repeat(64)}.example.com.`, 'A'), 'bad_request')
  t.equal(await refused(undefined, 'NONE'), 'bad_request')
  t.equal(await refused(undefined, 'SOA', 'two'), 'zone_not_found')
})

t.test('sixteen servers are asked, and four addresses of each', async t => {
  let askedCount = 0
  const dns = await openDns()
  const pool = dns.store.get('pools', defaultPoolId)!
  const nsRecords = Array.from({ length: 17 }, (_, i) => {
    const stamp = { id: `ns${i}`, createdAt: 0, updatedAt: null }
    return { ...stamp, hostname: `ns${i}.example.net.`, priority: i }
  })
  await dns.store.commit(tx => tx.put('pools', { ...pool, nsRecords }))
  const zone = await dns.zones.create(callerOf('one'), primary('example.com.'))
  const all = Array.from({ length: 5 }, (_, i) => `192.0.2.${i}`)
  const servers = new ZoneServers({
    store: dns.store,
    hosts: new HostAddresses({ resolveHost: async () => all }),
    ask: async () => {
      askedCount += 1
      return { reason: 'no answer' }
    },
  })
  const shown = await servers.ask(callerOf('one'), zone.id, { name: undefined, type: 'SOA' })
  t.equal(new Set(shown.servers.map(({ host }) => host)).size, 16)
  t.equal(shown.servers.length, 16 * 4)
  t.equal(askedCount, 16 * 4)
})

t.test('a project asks one question at a time, and others are not held up', async t => {
  const answers: (() => void)[] = []
  const { servers, zone, zones } = await open(async () => {
    await new Promise<void>(resolve => answers.push(resolve))
    return { reason: 'no answer' }
  })
  const other = await zones.create(callerOf('two'), primary('example.org.'))
  const ask = (project: string, id: string) =>
    servers.ask(callerOf(project), id, { name: undefined, type: 'SOA' })
  const asked = [ask('one', zone.id), ask('one', zone.id), ask('one', zone.id)]
  const refused = ask('one', zone.id).catch((error: { type: string }) => error.type)
  t.equal(await refused, 'too_many_requests')
  const ofOther = ask('two', other.id)
  // Two addresses each, of the first question and of the other project's.
  while (answers.length < 4) await new Promise(setImmediate)
  const isDone = Promise.all([...asked, ofOther])
  let isOver = false
  void isDone.then(() => {
    isOver = true
  })
  while (!isOver) {
    for (const answer of answers.splice(0)) answer()
    await new Promise(setImmediate)
  }
  t.equal((await isDone).length, 4)
})
