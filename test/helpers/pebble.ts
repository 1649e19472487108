import { X509Certificate } from 'node:crypto'
import { get } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import type { Endpoint } from './appliance.ts'
import { startPeerProcess } from './peer-process.ts'
import { makeTestCertificate } from './test-certificate.ts'

// Pebble, Let's Encrypt's certificate authority for testing clients. Debian packages it.

export type Pebble = {
  readonly directoryUrl: string
  /** The CA certificate of its HTTPS endpoint, in PEM. */
  readonly authorityFile: string
  /** The root of the certificates that it issues. */
  root(): Promise<X509Certificate>
}

/** Starts a Pebble that looks up challenge responses at a name server, until the test ends. */
export async function startPebble(t: Test, nameServer: Endpoint): Promise<Pebble> {
  const { certificate, key } = makeTestCertificate()
  const load = async (port: number, path: string): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    get(`https://127.0.0.1:${port}${path}`, { ca: certificate, agent: false }, response =>
      resolve(text(response)),
    ).once('error', reject)
    return promise
  }
  const pebble = await startPeerProcess({
    name: 'pebble',
    recipe: ({ folder, port, otherPort }) => {
      const settings = {
        listenAddress: `127.0.0.1:${port}`,
        managementListenAddress: `127.0.0.1:${otherPort}`,
        certificate: join(folder, 'certificate.pem'),
        privateKey: join(folder, 'key.pem'),
        httpPort: 80,
        tlsPort: 443,
      }
      const { host, port: dnsPort } = nameServer
      const words = ['-config', join(folder, 'pebble.json'), '-dnsserver', `${host}:${dnsPort}`]
      return {
        files: {
          'certificate.pem': certificate,
          'key.pem': key,
          'pebble.json': JSON.stringify({ pebble: settings }),
        },
        // Unless configured otherwise, Pebble waits for some seconds and rejects valid nonces, to test how clients react.
        command: ['env', 'PEBBLE_VA_NOSLEEP=1', 'PEBBLE_WFE_NONCEREJECT=0', 'pebble', ...words],
      }
    },
    isReady: port =>
      load(port, '/dir').then(
        () => true,
        () => false,
      ),
  })
  t.teardown(() => pebble.close())
  return {
    directoryUrl: `https://127.0.0.1:${pebble.port}/dir`,
    authorityFile: join(pebble.folder, 'certificate.pem'),
    root: async () => new X509Certificate(await load(pebble.otherPort, '/roots/0')),
  }
}

/** The chain in a file of PEM, the certificate itself first. */
export function chainOf(pem: string): readonly X509Certificate[] {
  const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return found.map(one => new X509Certificate(one))
}
