import { execFile } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { defaultPoolId } from '../../src/model/pool.ts'
import { publicKeyPin } from '../../src/transport/tls-client.ts'
import { Appliance } from '../helpers/appliance.ts'
import { type PeerPlace, startPeerProcess } from '../helpers/peer-process.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { makeTestCertificate } from '../helpers/test-certificate.ts'
import { until } from '../helpers/until.ts'
import { transferFrom } from '../helpers/zone-difference.ts'

// Zones over TLS (RFC 9103): ours from BIND and NSD, and BIND's from us.

const run = promisify(execFile)
const apex = 'xot.example.'
const zoneText = `$ORIGIN ${apex}
@ 300 IN SOA ns host 7 3600 3600 86400 60
@ 300 IN NS ns
ns 300 IN A 192.0.2.1
`
const host = '127.0.0.1'
const { certificate, key } = makeTestCertificate()
const hostName = 'dns.example.net'
const pinOf = (shown: { readonly certificate: string }) =>
  publicKeyPin(new X509Certificate(shown.certificate))
const pin = pinOf({ certificate })
/** Of clients: one that is known by its name, one by its key. */
const clientName = 'ns2.example.org'
const named = makeTestCertificate({ hostName: clientName })
const pinned = makeTestCertificate()

type ZoneView = {
  readonly id: string
  readonly status: string
  readonly status_reason: string | null
  readonly serial: number
}

async function startServer() {
  const folder = serverFolder(t)
  const certificateFile = join(folder, 'cert.pem')
  writeFileSync(certificateFile, certificate)
  writeFileSync(join(folder, 'key.pem'), key)
  // GnuTLS presents a certificate only to a peer that names its authority.
  writeFileSync(join(folder, 'clients.pem'), named.certificate + pinned.certificate)
  const server = await Appliance.start({
    dataDirectory: join(folder, 'data'),
    environment: {
      ZONEWRIGHT_DNS_TLS_LISTEN: '127.0.0.1:0',
      ZONEWRIGHT_DNS_TLS_CERT: certificateFile,
      ZONEWRIGHT_DNS_TLS_KEY: join(folder, 'key.pem'),
      ZONEWRIGHT_DNS_TLS_CLIENT_CA: join(folder, 'clients.pem'),
      // An administrator adds the authority to the machine's.
      NODE_EXTRA_CA_CERTS: certificateFile,
    },
  })
  t.teardown(() => server.stop())
  return server
}

async function hasZone(port: number): Promise<boolean> {
  const words = ['+short', '+tries=1', '+time=1', apex, 'SOA']
  const { stdout } = await run('dig', [`@${host}`, '-p', `${port}`, ...words]).catch(() => ({
    stdout: '',
  }))
  return stdout.startsWith('ns.')
}

const masters = {
  bind: ({ folder, port, otherPort: tlsPort }: PeerPlace) => ({
    command: ['named', '-g', '-c', join(folder, 'peer.conf')],
    files: {
      'cert.pem': certificate,
      'key.pem': key,
      'peer.zone': zoneText,
      'peer.conf': `
      tls here { cert-file "${folder}/cert.pem"; key-file "${folder}/key.pem"; };
      options {
        directory "${folder}"; pid-file none; session-keyfile none; recursion no; notify no;
        listen-on port ${port} { ${host}; }; listen-on port ${tlsPort} tls here { ${host}; }; listen-on-v6 { none; };
        allow-transfer port ${tlsPort} transport tls { any; };
      };
      controls { };
      zone "${apex}" { type primary; file "peer.zone"; };`,
    },
  }),
  nsd: ({ folder, port, otherPort: tlsPort }: PeerPlace) => ({
    command: ['nsd', '-d', '-c', join(folder, 'peer.conf')],
    files: {
      'cert.pem': certificate,
      'key.pem': key,
      'peer.zone': zoneText,
      'peer.conf': `
server:
  ip-address: ${host}@${port}
  ip-address: ${host}@${tlsPort}
  tls-port: ${tlsPort}
  tls-service-key: "${folder}/key.pem"
  tls-service-pem: "${folder}/cert.pem"
  username: ""
  zonesdir: "${folder}"
  database: ""
  pidfile: "${folder}/pid"
  xfrdfile: "${folder}/xfrd.state"
  xfrdir: "${folder}/run"
  zonelistfile: "${folder}/zone.list"
remote-control:
  control-enable: no
zone:
  name: ${apex}
  zonefile: "peer.zone"
  provide-xfr: ${host} NOKEY
`,
    },
  }),
}

const server = await startServer()

for (const [name, recipe] of Object.entries(masters)) {
  t.test(`a zone of ${name} over TLS, by name, pin, or whoever it is`, async t => {
    const peer = await startPeerProcess({ name, recipe, isReady: hasZone })
    t.teardown(() => peer.close())
    const at = `${host}:${peer.otherPort}`
    const view = (id: string) => server.json<ZoneView>('GET', `/v2/zones/${id}`)
    for (const known of [hostName, `sha256=${pin}`, 'tls']) {
      const body = { name: apex, type: 'SECONDARY', masters: [`${at}#${known}`] }
      const { id } = await server.json<ZoneView>('POST', '/v2/zones', body)
      const zone = await until(
        () => view(id),
        ({ status }) => status !== 'PENDING',
      )
      t.match(zone, { status: 'ACTIVE', serial: 7, status_reason: null }, known)
      await server.request('DELETE', `/v2/zones/${id}`)
    }
    for (const [known, reason] of [
      ['other.example.net', /certificate is for another name/],
      [`sha256=${createHash('sha256').digest('base64')}`, /not the one that is pinned/],
    ] as const) {
      const body = { name: apex, type: 'SECONDARY', masters: [`${at}#${known}`] }
      const { id } = await server.json<ZoneView>('POST', '/v2/zones', body)
      const zone = await until(
        () => view(id),
        ({ status }) => status !== 'PENDING',
      )
      t.match(zone, { status: 'ERROR', status_reason: reason })
      await server.request('DELETE', `/v2/zones/${id}`)
    }
  })
}

/** Starts BIND as a secondary over TLS; resolves when it has the zone. */
async function startBind(
  { zone, tls = '', key = '' }: { zone: string; tls?: string; key?: string },
  files: Readonly<Record<string, string>> = {},
) {
  const [own] = server.dnsTls
  const signed = key === '' ? '' : 'key xot'
  const peer = await startPeerProcess({
    name: 'bind',
    recipe: ({ folder, port }) => ({
      command: ['named', '-g', '-c', join(folder, 'peer.conf')],
      files: {
        ...files,
        'ca.pem': certificate,
        'peer.conf': `
        tls there { ca-file "${folder}/ca.pem"; remote-hostname "${hostName}"; ${tls.replaceAll('FOLDER', folder)} };
        ${key}
        options {
          directory "${folder}"; pid-file none; session-keyfile none; recursion no; notify no;
          listen-on port ${port} { ${host}; }; listen-on-v6 { none; };
        };
        controls { };
        zone "${zone}" { type secondary; file "copy"; primaries { ${own?.host} port ${own?.port} ${signed} tls there; }; };`,
      },
    }),
    isReady: async port => {
      const dig = ['dig', `@${host}`, '-p', `${port}`, '+short', '+tries=1', zone, 'SOA']
      return (await run('env', dig).catch(() => ({ stdout: '' }))).stdout.includes(
        'ops.example.com',
      )
    },
  })
  t.teardown(() => peer.close())
}

t.test('BIND has a zone of ours over TLS, with TSIG', async t => {
  const secret = Buffer.alloc(32, 9).toString('base64')
  const tsigKey = { name: 'xot', secret, algorithm: 'hmac-sha256', scope: 'POOL' }
  await server.json('POST', '/v2/tsigkeys', { ...tsigKey, resource_id: defaultPoolId })
  await server.json('PATCH', `/v2/pools/${defaultPoolId}`, {
    attributes: { allow_transfer: 'key:xot' },
  })
  await server.json('POST', '/v2/zones', { name: apex, email: 'ops@example.com' })
  await startBind({
    zone: apex,
    key: `key xot { algorithm hmac-sha256; secret "${secret}"; };`,
  })
  t.pass('it answers')
})

t.test('by the certificate that it shows: BIND by its name, kdig by its public key', async t => {
  const [own] = server.dnsTls
  const zone = 'certified.example.'
  const attributes = { allow_transfer: `tls:${clientName},tls:sha256=${pinOf(pinned)}` }
  await server.json('POST', '/v2/zones', { name: zone, email: 'ops@example.com', attributes })
  const client = { 'client.pem': named.certificate, 'client-key.pem': named.key }
  const tls = 'cert-file "FOLDER/client.pem"; key-file "FOLDER/client-key.pem";'
  await startBind({ zone, tls }, client)
  const folder = serverFolder(t)
  const axfr = async (shown: typeof named | undefined) => {
    const files = shown && [`+tls-certfile=${folder}/c.pem`, `+tls-keyfile=${folder}/k.pem`]
    if (shown) {
      writeFileSync(join(folder, 'c.pem'), shown.certificate)
      writeFileSync(join(folder, 'k.pem'), shown.key)
    }
    const at = [`@${own?.host}`, '-p', `${own?.port}`, '+tls', ...(files ?? [])]
    const { stdout, stderr } = await run('kdig', [...at, zone, 'AXFR']).catch(error => error)
    return stdout + stderr
  }
  t.match(await axfr(pinned), /SOA[\s\S]*SOA/)
  t.match(await axfr(undefined), /REFUSED/)
  t.match(await axfr(makeTestCertificate({ hostName: clientName })), /REFUSED/)
  const [inTheClear] = server.dns
  t.same(inTheClear && (await transferFrom(inTheClear, zone)), ['REFUSED'])
})
