import t from 'tap'
import { parseName } from '../../../src/dns/name.ts'
import { everything } from '../../../src/store/indexes.ts'
import { callerOf, openDns, primary } from '../../helpers/dns.ts'
import { checkPublished } from '../../helpers/publish-check.ts'
import { refusal } from '../../helpers/refusal.ts'

const one = callerOf('one')

/** An address of project one. */
async function lentAddress(options = {}) {
  const dns = await openDns(options)
  const draft = { region: 'North', projectId: 'one', address: '192.0.2.7' }
  const { floatingIp } = await dns.floatingIps.register(draft)
  return { dns, key: { region: 'North', id: floatingIp.id } }
}

t.test('a name is served when its promise resolves, and is gone when it is taken away', async t => {
  const { dns, key } = await lentAddress()
  const served = () =>
    dns.served
      .get(parseName('2.0.192.in-addr.arpa.'))
      ?.findRrset(parseName('7.2.0.192.in-addr.arpa.'), 12)
  const { state } = await dns.floatingIps.setPtr(one, key, { name: 'a.example.com.' })
  t.match(state, { status: 'ACTIVE' })
  t.ok(served())
  await dns.floatingIps.unsetPtr(one, key)
  t.notOk(served())
  t.equal(dns.floatingIps.get(one, key).ptr, undefined)
  checkPublished(t, dns)
})

t.test('two names set at once make one reverse zone', async t => {
  const { dns, key } = await lentAddress()
  const draft = { region: 'North', projectId: 'one', address: '192.0.2.8' }
  const { floatingIp } = await dns.floatingIps.register(draft)
  await Promise.all([
    dns.floatingIps.setPtr(one, key, { name: 'a.example.com.' }),
    dns.floatingIps.setPtr(one, { ...key, id: floatingIp.id }, { name: 'b.example.com.' }),
  ])
  t.equal(dns.store.count('zones', 'all', everything), 1)
  t.same(
    dns.floatingIps.list(one).map(({ ptr }) => ptr?.records),
    [['a.example.com.'], ['b.example.com.']],
  )
})

t.test('a TTL below the least is refused', async t => {
  const { dns, key } = await lentAddress({ minTtlSeconds: 300 })
  const patch = { name: 'a.example.com.', ttlSeconds: 60 }
  await t.rejects(dns.floatingIps.setPtr(one, key, patch), refusal('invalid_ttl'))
})

t.test('there is no reverse zone below another project’s', async t => {
  const { dns, key } = await lentAddress()
  await dns.zones.create(callerOf('two'), primary('192.in-addr.arpa.'))
  const setting = dns.floatingIps.setPtr(one, key, { name: 'a.example.com.' })
  await t.rejects(setting, refusal('illegal_child'))
})
