import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { types } from '../../src/dns/codes.ts'
import { encodeQuery } from '../../src/dns/message.ts'
import { parseName } from '../../src/dns/name.ts'
import { Appliance, type Endpoint } from '../helpers/appliance.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { makeTestCertificate } from '../helpers/test-certificate.ts'

// The usual clients for queries over TLS and HTTPS: Knot's kdig, which uses GnuTLS, BIND's dig, and curl.

const run = promisify(execFile)

type Output = { readonly stdout: string; readonly stderr: string }

/** Starts a server with a zone; returns where it answers over TLS and HTTPS, and the file of its certificate. */
async function startServer(
  t: Test,
): Promise<
  Endpoint & { readonly https: Endpoint; readonly certificateFile: string; readonly apiUrl: string }
> {
  const folder = serverFolder(t)
  const certificateFile = join(folder, 'cert.pem')
  const keyFile = join(folder, 'key.pem')
  const { certificate, key } = makeTestCertificate()
  writeFileSync(certificateFile, certificate)
  writeFileSync(keyFile, key)
  const server = await Appliance.start({
    dataDirectory: join(folder, 'data'),
    environment: {
      ZONEWRIGHT_DNS_TLS_LISTEN: '127.0.0.1:0',
      ZONEWRIGHT_DNS_HTTPS_LISTEN: '127.0.0.1:0',
      ZONEWRIGHT_DNS_TLS_CERT: certificateFile,
      ZONEWRIGHT_DNS_TLS_KEY: keyFile,
    },
  })
  t.teardown(() => server.stop())
  await server.liftQuotas()
  const zone = { name: 'example.org.', email: 'ops@example.net' }
  const { id } = await server.json<{ id: string }>('POST', '/v2/zones', zone)
  for (const [name, records] of [
    ['www', ['192.0.2.1']],
    ['here', ['127.0.0.1']],
    ['many', Array.from({ length: 200 }, (_, i) => `198.51.100.${i}`)],
  ]) {
    const body = { name: `${name}.example.org.`, type: 'A', records }
    await server.json('POST', `/v2/zones/${id}/recordsets`, body)
  }
  const [address] = server.dnsTls
  const [https] = server.dnsHttps
  if (address === undefined || https === undefined) throw new Error('nobody listens')
  return { ...address, https, certificateFile, apiUrl: server.apiUrl }
}

t.test('programs of others ask over TLS', async t => {
  const { host, port, https, certificateFile, apiUrl } = await startServer(t)
  const at = [`@${host}`, '-p', `${port}`]
  const strictly = [`+tls-ca=${certificateFile}`, '+tls-hostname=dns.example.net']

  t.test('kdig, without looking at the certificate', async t => {
    const { stdout } = await run('kdig', [...at, '+tls', '+short', 'www.example.org'])
    t.equal(stdout, '192.0.2.1\n')
  })

  t.test('kdig, which trusts the certificate and its name', async t => {
    const { stdout } = await run('kdig', ['-d', ...at, ...strictly, '+padding', 'www.example.org'])
    t.match(stdout, /The certificate is trusted/)
    t.match(stdout, /status: NOERROR/)
    t.match(stdout, /PADDING: \d+ B/)
    t.match(stdout, /Received 468 B/)
  })

  t.test('kdig, which expects somebody else', async t => {
    const words = [`+tls-ca=${certificateFile}`, '+tls-hostname=other.example.net', '+retry=0']
    const asked = run('kdig', [...at, ...words, 'www.example.org'])
    const { stdout, stderr } = (await asked.catch(error => error)) as Output
    t.notMatch(stdout, /192\.0\.2\.1/)
    t.match(stdout + stderr, /certificate/i)
  })

  t.test('kdig, several questions on one connection, one with an answer of 3 kB', async t => {
    const questions = ['www.example.org', 'many.example.org', 'missing.example.org']
    const { stdout } = await run('kdig', [...at, ...strictly, '+keepopen', ...questions])
    t.equal(stdout.match(/192\.0\.2\.1\n/g)?.length, 1)
    t.equal(stdout.match(/198\.51\.100\.\d+\n/g)?.length, 200)
    t.match(stdout, /status: NXDOMAIN/)
  })

  t.test('dig', async t => {
    const words = [`+tls-ca=${certificateFile}`, '+tls-hostname=dns.example.net', '+short']
    const { stdout } = await run('dig', [...at, ...words, 'www.example.org'])
    t.equal(stdout, '192.0.2.1\n')
  })
  const atHttps = [`@${https.host}`, '-p', `${https.port}`, ...strictly]

  for (const method of ['+https', '+https-get']) {
    t.test(`kdig ${method}`, async t => {
      const words = ['-d', ...atHttps, method, '+padding', 'www.example.org']
      const { stdout } = await run('kdig', words)
      t.match(stdout, /The certificate is trusted/)
      t.match(stdout, /HTTP\/2/)
      t.match(stdout, /192\.0\.2\.1\n/)
      t.match(stdout, /Received 468 B/)
    })
  }

  t.test('kdig over HTTPS, an answer of 3 kB, and a zone, which is refused', async t => {
    const many = await run('kdig', [...atHttps, '+https', 'many.example.org'])
    t.equal(many.stdout.match(/198\.51\.100\.\d+\n/g)?.length, 200)
    const zone = run('kdig', [...atHttps, '+https', '+retry=0', 'example.org', 'AXFR'])
    const { stdout, stderr } = (await zone.catch(error => error)) as Output
    t.match(stdout + stderr, /REFUSED/)
  })

  for (const version of ['--http2', '--http1.1']) {
    t.test(`curl ${version}`, async t => {
      const query = encodeQuery({ id: 0, name: parseName('www.example.org.'), type: types.A })
      const url = `https://${https.host}:${https.port}/dns-query`
      const words = ['-sS', '-i', '--cacert', certificateFile, version]
      const get = [...words, `${url}?dns=${Buffer.from(query).toString('base64url')}`]
      const { stdout } = await run('curl', get, { encoding: 'latin1' })
      t.match(stdout, /^HTTP\/[\d.]+ 200/)
      t.match(stdout, /cache-control: max-age=3600\r\n/i)
      t.ok(stdout.endsWith('\xc0\x00\x02\x01'))
      const post = ['-H', 'content-type: application/dns-message', '--data-binary', 'not DNS']
      t.match((await run('curl', [...words, ...post, url])).stdout, /^HTTP\/[\d.]+ 400/)
    })
  }

  t.test('curl, which finds the server of a URL by it', async t => {
    const doh = ['--doh-url', `https://${https.host}:${https.port}/dns-query`, '--doh-insecure']
    const words = ['-sS', '-o', '/dev/null', '-w', '%{remote_ip} %{http_code}', ...doh]
    const { port: apiPort } = new URL(apiUrl)
    const { stdout } = await run('curl', [...words, `http://here.example.org:${apiPort}/healthz`])
    t.equal(stdout, '127.0.0.1 200')
  })
})
