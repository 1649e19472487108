import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { AcmeAuthority, finalRefusal } from '../helpers/acme-authority.ts'
import { nothingIsLeft, provedDomains, provedNames, servedTexts, zone } from './acme-zone.ts'
import { grantChallenges } from './update-key.ts'
import { startWholeServer } from './whole-server.ts'

// `certbot` with its plugin for dynamic updates, unmodified, as Debian's packages install them. It finds the zone by signed
// questions for SOAs, and deletes single records.

t.test('a wildcard and a name are proved, and nothing is left of it', async t => {
  const { server, folder } = await startWholeServer(t)
  await server.json('POST', '/v2/zones', zone)
  const { name, algorithm, secret } = await grantChallenges(server, zone.name)
  const { host, port } = server.endpoint()
  const proved: string[] = []
  const authority = await AcmeAuthority.start(t, async ({ recordName, digest }) => {
    t.same(await servedTexts(server, recordName), [`"${digest}"`], recordName)
    proved.push(recordName)
    return true
  })
  const credentials = join(folder, 'credentials.ini')
  const settings = { server: host, port, name, secret, algorithm: algorithm.toUpperCase() }
  const lines = Object.entries(settings).map(([key, value]) => `dns_rfc2136_${key} = ${value}\n`)
  writeFileSync(credentials, lines.join(''), { mode: 0o600 })
  const options = {
    server: authority.directoryUrl,
    email: 'ops@example.com',
    'config-dir': join(folder, 'config'),
    'work-dir': join(folder, 'work'),
    'logs-dir': join(folder, 'logs'),
    'dns-rfc2136-credentials': credentials,
    'dns-rfc2136-propagation-seconds': '0',
  }
  const words = [
    ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
    ...provedDomains.flatMap(domain => ['--domain', domain]),
    ...['--dns-rfc2136', '--non-interactive', '--agree-tos', '--no-eff-email'],
  ]
  const child = spawn('/usr/bin/certbot', ['certonly', ...words], {
    stdio: 'ignore',
    env: { HOME: folder },
  })
  const [status] = await once(child, 'close')
  // Only the log is sure to hold it: on Python 3.11 raising the refusal fails with an error that is printed instead.
  t.match(readFileSync(join(folder, 'logs', 'letsencrypt.log'), 'utf8'), finalRefusal)
  t.equal(status, 1)
  t.same(proved.sort(), provedNames)
  await nothingIsLeft(t, server)
})
