import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { startPebble } from '../helpers/pebble.ts'
import { isCertified, nothingIsLeft, provedDomains, zone } from './acme-zone.ts'
import { grantChallenges } from './update-key.ts'
import { startWholeServer } from './whole-server.ts'

// `certbot` with its plugin for dynamic updates, unmodified, as Debian's packages install them. It finds the zone by signed
// questions for SOAs, and deletes single records.

t.test('a wildcard and a name get a certificate, and nothing is left of it', async t => {
  const { server, folder } = await startWholeServer(t)
  await server.json('POST', '/v2/zones', zone)
  const { name, algorithm, secret } = await grantChallenges(server, zone.name)
  const { host, port } = server.endpoint()
  const authority = await startPebble(t, server.endpoint())
  const credentials = join(folder, 'credentials.ini')
  const settings = { server: host, port, name, secret, algorithm: algorithm.toUpperCase() }
  const lines = Object.entries(settings).map(([key, value]) => `dns_rfc2136_${key} = ${value}\n`)
  writeFileSync(credentials, lines.join(''), { mode: 0o600 })
  const options = {
    server: authority.directoryUrl,
    email: 'ops@example.com',
    'cert-name': 'shop',
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
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { HOME: folder, REQUESTS_CA_BUNDLE: authority.authorityFile },
  })
  const [printed] = await Promise.all([text(child.stderr), once(child, 'close')])
  t.equal(child.exitCode === 0 ? '' : printed, '')
  await isCertified(t, join(folder, 'config', 'live', 'shop', 'fullchain.pem'), authority)
  await nothingIsLeft(t, server)
})
