import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { openServices } from '../../src/app/services.ts'
import { Bulk } from '../../src/bulk/bulk.ts'
import { alone } from '../../src/cluster/cluster.ts'
import { KeySealing } from '../../src/dnssec/sealed-key.ts'
import { OutboundAddresses } from '../../src/model/outbound-address.ts'
import { QueryLogRules } from '../../src/service/operations/query-log-rules.ts'
import { HostAddresses } from '../../src/service/targets/host-addresses.ts'
import { shortRemovalRows } from '../../src/service/zones/zone-removal.ts'
import type { Store } from '../../src/store/store.ts'
import { callerOf, openDns, piecesOf, primary, secondary } from '../helpers/dns.ts'
import { refusal } from '../helpers/refusal.ts'
import { recordsetRow, uuidOf } from '../helpers/store-rows.ts'

const one = callerOf('one')

/** Services over those of a test, on a store whose commits fail from one on. */
async function openOnFailingStore() {
  const dns = await openDns()
  const told: string[] = []
  const script = { commitsLeft: Number.POSITIVE_INFINITY }
  const store = new Proxy(dns.store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      if (name !== 'commit') return value.bind(target)
      return (...args: Parameters<Store['commit']>) => {
        script.commitsLeft -= 1
        if (script.commitsLeft < 0) return Promise.reject(new Error('the disk is full'))
        return target.commit(...args)
      }
    },
  })
  const tell = (what: string) => (row: { readonly name: string }, error: unknown) =>
    told.push(`${what} of ${row.name}: ${(error as Error).message}`)
  const services = openServices({
    bulk: new Bulk({ maxThreads: 0 }),
    store,
    cluster: alone,
    clock: dns.clock,
    sealing: new KeySealing(undefined),
    outboundAddresses: new OutboundAddresses({ allowed: [], ownAddresses: () => [] }),
    hosts: new HostAddresses({ resolveHost: async () => [] }),
    askServer: async () => ({ reason: 'nobody is asked here' }),
    minTtlSeconds: 60,
    knowsProjects: false,
    hostname: 'ns.example',
    publisher: dns.publisher,
    servers: dns.servers,
    externalTargets: dns.externalTargets,
    aliases: dns.aliases,
    askParent: async () => ({ parent: null, servers: [] }),
    notifyParent: async () => [],
    externalTargetClient: {
      probe: async () => ({ kind: 'absent' }),
      notify: async () => undefined,
    },
    serviceParts: () => dns.serviceParts,
    answersOf: dns.answersOf,
    busiest: dns.busiest,
    queryLogRules: new QueryLogRules(store, dns.clock, false),
    onTransferWanted: zone => told.push(`transfer of ${zone.name}`),
    onRemovalFailed: tell('removal'),
    onRewriteFailed: tell('rewrite'),
    onSigningFailed: (id, error) => told.push(`signing ${id}: ${(error as Error).message}`),
    onImportFailed: ({ id }, error) => told.push(`import ${id}: ${(error as Error).message}`),
  })
  return { dns, services, told, script }
}

t.test('a zone that is to be fetched is reported', async t => {
  const { services, told } = await openOnFailingStore()
  await services.zones.create(one, secondary('example.net.'))
  await services.zones.create(one, primary('example.com.'))
  t.same(told, ['transfer of example.net.'])
})

t.test('what fails after its answer is told of, and is finished later', async t => {
  const { dns, services, told, script } = await openOnFailingStore()
  const { id } = await services.zones.create(one, primary('example.com.'))
  // So many that nobody waits for their removal.
  await dns.store.commit(tx => {
    for (let i = 0; i < shortRemovalRows; i += 1)
      tx.put('recordsets', recordsetRow({ id: uuidOf(i), zoneId: id, name: `h${i}.example.com.` }))
  })
  script.commitsLeft = 1
  await services.zones.delete(one, id)
  await setImmediate()
  t.same(told, ['removal of example.com.: the disk is full'])
  t.match(services.zones.get(one, id), { isDeleting: true })
  script.commitsLeft = Number.POSITIVE_INFINITY
  await services.removal.finishAll()
  t.throws(() => services.zones.get(one, id), refusal('zone_not_found'))
})

t.test('an import that fails is reported', async t => {
  const { services, told, script } = await openOnFailingStore()
  script.commitsLeft = 1
  const { id } = await services.zoneImports.create(one, {
    pieces: piecesOf('$ORIGIN a.example.\n'),
    attributes: {},
  })
  await services.zoneImports.settled()
  t.same(told, [`import ${id}: the disk is full`])
})
