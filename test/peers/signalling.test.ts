import { execFileSync } from 'node:child_process'
import t from 'tap'
import { ClockedAppliance } from '../helpers/clocked-appliance.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'
import { delv } from '../helpers/validators.ts'

// The records that a registry reads to bootstrap DNSSEC of a delegation without a DS (RFC 9615 section 4.2), queried with dig and
// validated by delv from the key of the name servers' zone.

type View = {
  status: string
  keys: { dnskey: string }[]
  parent: { signalled_at: string[] }
}

t.test('CDS and CDNSKEY of a zone are signalled, validate, and are those at its apex', async t => {
  const server = await ClockedAppliance.start({
    dataDirectory: serverFolder(t),
    // Signatures made now must be valid by the clock of delv.
    nowMillis: Date.now() - 86_400_000,
    environment: { ZONEWRIGHT_NAMESERVERS: 'ns1.hosts.example.' },
  })
  t.teardown(() => server.kill())
  const sign = async (name: string, body: object) => {
    const draft = { name, email: 'ops@example.net' }
    const { id } = await server.call<{ id: string }>('POST', '/v2/zones', { body: draft })
    const view = () => server.call<View>('GET', `/v2/zones/${id}/dnssec`)
    await server.call('PUT', `/v2/zones/${id}/dnssec`, { body })
    await until(view, ({ status }) => status === 'SIGNED')
    return view
  }
  const hosts = await sign('hosts.example.', { signals_children: true })
  const child = await sign('child.example.', {})
  for (let quarters = 0; quarters < 16; quarters += 1) {
    await server.advance(900_000)
    await server.run('roll-keys')
  }
  const name = '_dsboot.child.example._signal.ns1.hosts.example.'
  t.same((await child()).parent.signalled_at, [name])
  const { host, port } = server.dns
  const values = (of: string, type: string) =>
    execFileSync('dig', [`@${host}`, '-p', `${port}`, of, type, '+short'], { encoding: 'utf8' })
  const keys = (await hosts()).keys.map(({ dnskey }) => dnskey)
  for (const type of ['CDS', 'CDNSKEY']) {
    const atApex = values('child.example.', type)
    t.match(atApex, /\S/, type)
    t.equal(values(name, type), atApex)
  }
  const trusted = { apex: 'hosts.example.', keys, server: { host, port } }
  const questions = [`${name} CDS`, `${name} CDNSKEY`]
  for (const said of await delv(t.testdir(), trusted, questions)) t.match(said, /fully validated/)
})
