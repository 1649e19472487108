import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { AcmeAuthority, finalRefusal, type Judge, judgeRefusal } from '../helpers/acme-authority.ts'
import { type Appliance, adminToken } from '../helpers/appliance.ts'
import { nothingIsLeft, provedDomains, provedNames, servedTexts, zone } from './acme-zone.ts'
import { grantChallenges } from './update-key.ts'
import { adminPassword, startWholeServer } from './whole-server.ts'

// `lego`, a client of certificate authorities, unmodified, as a Debian package installs it. It proves that a name is
// its own with its provider for Open Telekom Cloud, which is Keystone and Designate as a service, with that for
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
  t.test(`${provider}: a wildcard and a name are proved, and nothing is left of it`, async t => {
    const { server, folder } = await startWholeServer(t)
    await server.json('POST', '/v2/zones', zone)
    const proved: string[] = []
    const { status, printed } = await runLego(t, {
      server,
      provider,
      folder,
      domains: provedDomains,
      judge: async ({ recordName, digest }) => {
        t.same(await servedTexts(server, recordName), [`"${digest}"`], recordName)
        proved.push(recordName)
        return true
      },
    })
    t.match(printed, finalRefusal)
    t.equal(status, 1)
    t.same(proved.sort(), provedNames)
    await nothingIsLeft(t, server)
  })

t.test('nothing is left either when the authority is not content', async t => {
  const { server, folder } = await startWholeServer(t)
  await server.json('POST', '/v2/zones', zone)
  const { status, printed } = await runLego(t, {
    server,
    provider: 'otc',
    folder,
    domains: ['www.shop.example'],
    judge: async () => false,
  })
  t.match(printed, judgeRefusal)
  t.equal(status, 1)
  await nothingIsLeft(t, server)
})

type LegoOptions = {
  readonly server: Appliance
  readonly provider: string
  /** Where it keeps its account. */
  readonly folder: string
  readonly domains: readonly string[]
  readonly judge: Judge
}

async function runLego(
  t: Test,
  { server, provider, folder, domains, judge }: LegoOptions,
): Promise<{ readonly status: number | null; readonly printed: string }> {
  const authority = await AcmeAuthority.start(t, judge)
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
    ...domains.flatMap(domain => ['--domains', domain]),
    // It would ask the zone's name servers, at port 53.
    '--dns.disable-cp',
    '--accept-tos',
    'run',
  ]
  const child = spawn('/usr/bin/lego', words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { HOME: folder, ...(await providers[provider]?.(server)) },
  })
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { status: child.exitCode, printed: stdout + stderr }
}
