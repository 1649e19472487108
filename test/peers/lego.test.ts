import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { type Appliance, adminToken } from '../helpers/appliance.ts'
import { type Pebble, startPebble } from '../helpers/pebble.ts'
import { isCertified, nothingIsLeft, provedDomains, zone } from './acme-zone.ts'
import { grantChallenges } from './update-key.ts'
import { adminPassword, startWholeServer } from './whole-server.ts'

// `lego`, a client of certificate authorities, unmodified, as a Debian package installs it. It gets certificates
// with its provider for Open Telekom Cloud, which is Keystone and Designate as a service, with that for
// PowerDNS, and with dynamic updates. The one that is called after Designate is not in the package; gophercloud, which it is made of, has a test of
// its own.

/** How lego reaches a server that has the zone, by the names of its providers. */
const providers: Readonly<Record<string, (server: Appliance) => Promise<Record<string, string>>>> =
  {
    otc: async ({ apiUrl }) => ({
      OTC_IDENTITY_ENDPOINT: `${apiUrl}/identity/v3/auth/tokens`,
      OTC_USER_NAME: 'admin',
      OTC_PASSWORD: adminPassword,
      OTC_DOMAIN_NAME: 'Default',
      OTC_PROJECT_NAME: 'admin',
      OTC_POLLING_INTERVAL: '1',
      OTC_SEQUENCE_INTERVAL: '1',
    }),
    pdns: async ({ apiUrl }) => ({
      PDNS_API_URL: apiUrl,
      PDNS_API_KEY: adminToken,
      PDNS_POLLING_INTERVAL: '1',
    }),
    rfc2136: async server => {
      const { name, algorithm, secret } = await grantChallenges(server, zone.name)
      const { host, port } = server.endpoint()
      return {
        RFC2136_NAMESERVER: `${host}:${port}`,
        RFC2136_TSIG_KEY: name,
        RFC2136_TSIG_ALGORITHM: `${algorithm}.`,
        RFC2136_TSIG_SECRET: secret,
        RFC2136_POLLING_INTERVAL: '1',
        RFC2136_SEQUENCE_INTERVAL: '1',
      }
    },
  }

for (const provider of Object.keys(providers))
  t.test(
    `${provider}: a wildcard and a name get a certificate, and nothing is left of it`,
    async t => {
      const { server, folder } = await startWholeServer(t)
      await server.json('POST', '/v2/zones', zone)
      const authority = await startPebble(t, server.endpoint())
      const { status, printed } = await runLego({ server, provider, folder, authority })
      t.equal(status === 0 ? '' : printed, '')
      await isCertified(t, join(folder, 'certificates', '_.shop.example.crt'), authority)
      await nothingIsLeft(t, server)
    },
  )

t.test('nothing is left either when the authority is not content', async t => {
  const { server, folder } = await startWholeServer(t)
  await server.json('POST', '/v2/zones', zone)
  // It asks a server that does not have the zone.
  const other = await startWholeServer(t)
  const authority = await startPebble(t, other.server.endpoint())
  const { status, printed } = await runLego({ server, provider: 'otc', folder, authority })
  t.match(printed, 'urn:ietf:params:acme:error')
  t.equal(status, 1)
  await nothingIsLeft(t, server)
})

type LegoOptions = {
  readonly server: Appliance
  readonly provider: string
  /** Where it keeps its account. */
  readonly folder: string
  readonly authority: Pebble
}

async function runLego({
  server,
  provider,
  folder,
  authority,
}: LegoOptions): Promise<{ readonly status: number | null; readonly printed: string }> {
  const { host, port } = server.endpoint()
  const options = {
    server: authority.directoryUrl,
    path: folder,
    email: 'ops@example.com',
    dns: provider,
    'dns.resolvers': `${host}:${port}`,
  }
  const words = [
    ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
    ...provedDomains.flatMap(domain => ['--domains', domain]),
    // It would ask the zone's name servers, at port 53.
    '--dns.disable-cp',
    '--accept-tos',
    'run',
  ]
  const child = spawn('/usr/bin/lego', words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      HOME: folder,
      LEGO_CA_CERTIFICATES: authority.authorityFile,
      ...(await providers[provider]?.(server)),
    },
  })
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { status: child.exitCode, printed: stdout + stderr }
}
