import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Appliance } from '../helpers/appliance.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { run } from '../helpers/signed-appliance.ts'
import { until } from '../helpers/until.ts'

// Keys that are exported here are keys to BIND and Knot: the same zone is signed with them, the same DS asked for.

const apex = 'made.example.'
const zoneText = `$TTL 300
@ SOA ns1 ops 1 7200 900 1209600 300
@ NS ns1
ns1 A 192.0.2.1
`

type Key = { id: string; tag: number; algorithm: number; dnskey: string }
type View = { status: string; ds: string[]; keys: Key[] }

for (const [policyId, program] of [
  ['default', 'P-256'],
  ['ed25519', 'Ed25519'],
] as const) {
  t.test(`a key of ${program} goes on at BIND and Knot`, async t => {
    const server = await Appliance.start({ dataDirectory: serverFolder(t) })
    t.teardown(() => server.kill())
    const draft = { name: apex, email: 'ops@example.net' }
    const { id } = await server.json<{ id: string }>('POST', '/v2/zones', draft)
    const path = `/v2/zones/${id}/dnssec`
    await server.json('PUT', path, { policy_id: policyId })
    const { ds, keys } = await until(
      () => server.json<View>('GET', path),
      ({ status }) => status === 'SIGNED',
    )
    const [key] = keys
    if (key === undefined) throw new Error('there is a key')
    const { bind } = await server.json<{ bind: string }>('GET', `${path}/keys/${key.id}/private`)

    const dnskey = `${apex} 3600 IN DNSKEY ${key.dnskey}\n`
    const folder = t.testdir({ zone: `${zoneText}${dnskey}`, knot: {} })
    const number = (value: number, digits: number) => String(value).padStart(digits, '0')
    const name = `K${apex}+${number(key.algorithm, 3)}+${number(key.tag, 5)}`
    writeFileSync(join(folder, `${name}.private`), bind)
    writeFileSync(join(folder, `${name}.key`), dnskey)

    run(folder, 'dnssec-signzone', '-q', '-z', '-o', apex, '-f', 'out', 'zone', `${name}.key`)
    t.equal(run(folder, 'dnssec-verify', '-z', '-q', '-o', apex, 'out'), '')
    const shown = run(folder, 'dnssec-dsfromkey', '-2', `${name}.key`).trim().split(/\s+/).slice(3)
    t.equal(shown.join(' ').toLowerCase(), ds[0]?.toLowerCase(), 'the DS of BIND')

    const knot = ['--dir', join(folder, 'knot'), apex]
    run(folder, 'keymgr', ...knot, 'import-bind', join(folder, `${name}.key`))
    t.match(
      run(folder, 'keymgr', ...knot, 'ds', `${key.tag}`).toLowerCase(),
      ds[0]?.toLowerCase(),
      'the DS of Knot',
    )
  })
}
