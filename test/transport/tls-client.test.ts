import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { type ConnectionOptions, connect, createSecureContext } from 'node:tls'
import t, { type Test } from 'tap'
import {
  type ClientCertificate,
  clientCertificateOf,
  publicKeyPin,
} from '../../src/transport/tls-client.ts'
import { newTlsCounts } from '../../src/transport/tls-counters.ts'
import { dotProtocols, TlsGate } from '../../src/transport/tls-gate.ts'
import { makeTestCertificate } from '../helpers/test-certificate.ts'

const own = makeTestCertificate()
const client = makeTestCertificate({ hostName: 'NS2.example.net' })
const stranger = makeTestCertificate({ hostName: 'ns2.example.net' })
const pinOf = ({ certificate }: { certificate: string }) =>
  publicKeyPin(new X509Certificate(certificate))

type Door = { meet(options: ConnectionOptions): Promise<ClientCertificate | undefined> }

type Opening = { readonly protocols?: readonly string[]; readonly known?: typeof client }

/** Opens a gate that knows clients by a certificate, and says who comes. */
async function open(t: Test, opening: Opening = {}): Promise<Door> {
  const { protocols = dotProtocols, known = client } = opening
  const gate = new TlsGate({ ...own, clientCa: known.certificate }, newTlsCounts())
  const server = createServer({ allowHalfOpen: true })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  return {
    async meet(options) {
      const accepted = once(server, 'connection')
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options })
      socket.on('error', () => undefined).on('session', session => sessions.push(session))
      const [below] = await accepted
      const secure = gate.open(below, protocols)
      await once(secure, 'secure')
      const met = clientCertificateOf(secure)
      // A session of TLS 1.3 comes with the first octets.
      secure.end('.')
      await once(socket.resume(), 'close')
      return met
    },
  }
}

const sessions: Buffer[] = []

t.test('a client without a certificate is nobody, and welcome', async t => {
  t.equal(await (await open(t)).meet({}), undefined)
})

t.test('one that an authority has signed has a name', async t => {
  const { certificate: cert, key } = client
  const met = await (await open(t)).meet({ cert, key })
  t.strictSame(met, { sha256: pinOf(client), names: ['ns2.example.net'] })
})

t.test('one that nobody knows has its public key alone', async t => {
  const { certificate: cert, key } = stranger
  const met = await (await open(t)).meet({ cert, key })
  t.strictSame(met, { sha256: pinOf(stranger), names: [] })
})

t.test('one that has expired has no name either', async t => {
  const expired = makeTestCertificate({ expiresAt: new Date('2021-01-01T00:00:00Z') })
  const { certificate: cert, key } = expired
  t.strictSame(await (await open(t, { known: expired })).meet({ cert, key }), {
    sha256: pinOf(expired),
    names: [],
  })
})

for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
  t.test(`who takes up a session is who it was (${maxVersion})`, async t => {
    const door = await open(t)
    const { certificate: cert, key } = client
    sessions.length = 0
    const secureContext = createSecureContext({ maxVersion, cert, key })
    const first = await door.meet({ secureContext, maxVersion })
    const again = await door.meet({ secureContext, maxVersion, session: sessions.at(-1) as Buffer })
    t.strictSame(again, first)
    t.equal(again?.names.length, 1)
  })
}

t.test('over HTTPS nobody is asked', async t => {
  const { certificate: cert, key } = client
  t.equal(await (await open(t, { protocols: ['h2'] })).meet({ cert, key }), undefined)
})
