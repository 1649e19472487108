import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { types } from '../../src/dns/codes.ts'
import { decodeMessage, encodeQuery } from '../../src/dns/message.ts'
import { parseName } from '../../src/dns/name.ts'
import { formatRdata } from '../../src/dns/rdata/index.ts'
import type { ListenAddress } from '../../src/transport/answer.ts'
import { Appliance, runToEnd } from '../helpers/appliance.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { frame, TcpClient } from '../helpers/tcp-client.ts'
import { makeTestCertificate, type TestCertificate } from '../helpers/test-certificate.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

// DNS over TLS as it is set up: a certificate and its key in files, an address, and nothing else.

type Files = { readonly ZONEWRIGHT_DNS_TLS_CERT: string; readonly ZONEWRIGHT_DNS_TLS_KEY: string }

function put(folder: string, { certificate, key }: TestCertificate): Files {
  mkdirSync(folder, { recursive: true })
  const files = {
    ZONEWRIGHT_DNS_TLS_CERT: join(folder, 'cert.pem'),
    ZONEWRIGHT_DNS_TLS_KEY: join(folder, 'key.pem'),
  }
  writeFileSync(files.ZONEWRIGHT_DNS_TLS_CERT, certificate)
  writeFileSync(files.ZONEWRIGHT_DNS_TLS_KEY, key)
  return files
}

async function enter(t: Test, address: ListenAddress | undefined, ca?: string) {
  if (address === undefined) throw new Error('nobody listens')
  const trust =
    ca === undefined ? {} : { ca, rejectUnauthorized: true, servername: 'dns.example.net' }
  const client = await TcpClient.connectSecurely(address, trust)
  t.teardown(() => client.socket.destroy())
  return client
}

t.test('what is created is answered over TLS before the call returns', async t => {
  const folder = serverFolder(t)
  const certificate = makeTestCertificate()
  const server = await Appliance.start({
    dataDirectory: join(folder, 'data'),
    environment: { ...put(folder, certificate), ZONEWRIGHT_DNS_TLS_LISTEN: '127.0.0.1:0,[::1]:0' },
  })
  t.teardown(() => server.kill())
  t.equal(server.dnsTls.length, 2)
  const clients = await Promise.all(
    server.dnsTls.map(address => enter(t, address, certificate.certificate)),
  )
  const body = { name: 'example.org.', email: 'ops@example.net' }
  const zone = await server.json<{ id: string }>('POST', '/v2/zones', body)
  const query = encodeQuery({ id: 7, name: parseName('www.example.org.'), type: types.A })
  for (const [i, client] of clients.entries()) {
    const records = { name: 'www.example.org.', type: 'A', records: [`192.0.2.${i}`] }
    const path = `/v2/zones/${zone.id}/recordsets`
    const { id } = await server.json<{ id: string }>('POST', path, records)
    await client.write(frame(query))
    const { answers } = decodeMessage((await client.read()) ?? Buffer.of())
    t.same(
      answers.map(({ type, rdata }) => formatRdata(type, rdata)),
      [`192.0.2.${i}`],
    )
    await server.request('DELETE', `${path}/${id}`)
  }
  t.equal(await server.stop(), 0)
})

t.test('a renewed certificate is taken up by a job, a broken one is a fault of it', async t => {
  const folder = serverFolder(t)
  const { app } = await startWholeServer(t, {
    dataDirectory: join(folder, 'data'),
    environment: {
      ...put(folder, makeTestCertificate()),
      ZONEWRIGHT_DNS_TLS_LISTEN: '127.0.0.1:0',
    },
  })
  const shownName = async () =>
    (await enter(t, app.dnsTls[0])).socket.getPeerCertificate().subject?.CN
  t.equal(await shownName(), 'dns.example.net')
  put(folder, makeTestCertificate({ hostName: 'renewed.example.net' }))
  await app.runJob('renew-certificate')
  t.equal(await shownName(), 'renewed.example.net')
  put(folder, { ...makeTestCertificate(), key: 'not a key' })
  await app.runJob('renew-certificate')
  t.equal(await shownName(), 'renewed.example.net')
})

t.test('a start with what cannot be used says so in one line and ends with 78', async t => {
  const folder = serverFolder(t)
  const ZONEWRIGHT_DNS_TLS_LISTEN = '127.0.0.1:0'
  const mismatched = { ...makeTestCertificate(), key: makeTestCertificate().key }
  const rows: readonly (readonly [what: string, environment: object, line: RegExp])[] = [
    ['no files', { ZONEWRIGHT_DNS_TLS_LISTEN }, /ZONEWRIGHT_DNS_TLS_CERT is missing$/],
    [
      'the key of another',
      put(folder, mismatched),
      /ZONEWRIGHT_DNS_TLS_KEY: .*key\.pem is not that of the first certificate in .*cert\.pem\./,
    ],
  ]
  const tryRow = async ([what, environment, line]: (typeof rows)[number]) => {
    const data = { ZONEWRIGHT_DATA_DIR: join(folder, 'data') }
    const { exitCode, errors } = await runToEnd({
      ...data,
      ZONEWRIGHT_DNS_TLS_LISTEN,
      ...environment,
    })
    t.equal(exitCode, 78, what)
    t.match(errors.trim(), line, what)
    t.equal(errors.trim().split('\n').length, 1, what)
  }
  await Promise.all(rows.map(tryRow))
})
