import { createPrivateKey, X509Certificate } from 'node:crypto'
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { CertificateFiles } from '../../src/transport/tls-certificate.ts'
import { makeTestCertificate } from '../helpers/test-certificate.ts'

const good = makeTestCertificate({ expiresAt: new Date('2040-02-03T04:05:06Z') })
const other = makeTestCertificate()

function folderWith(t: Test, { certificate, key }: { certificate: string; key: string }) {
  const folder = t.testdir()
  const paths = { certificateFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
  writeFileSync(paths.certificateFile, certificate)
  writeFileSync(paths.keyFile, key)
  return paths
}

t.test('a pair that fits is taken, the key in either form or in the same file', async t => {
  const { key, certificate } = good
  const sec1 = createPrivateKey(key).export({ type: 'sec1', format: 'pem' }) as string
  for (const pair of [good, { certificate, key: sec1 }]) {
    const files = await CertificateFiles.open(folderWith(t, pair))
    t.strictSame(files.credentials, pair)
    t.same(files.expiresAt, new Date('2040-02-03T04:05:06Z'))
  }
  const { certificateFile } = folderWith(t, { certificate: certificate + key, key })
  await t.resolves(CertificateFiles.open({ certificateFile, keyFile: certificateFile }))
})

t.test('what cannot be used is refused in one line: setting, file, cause, remedy', async t => {
  const { certificate, key } = good
  const encrypted = createPrivateKey(key).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 's3cret',
  }) as string
  const broken = (pem: string) => pem.replace(/\n.{20}/, '\nAAAAAAAAAAAAAAAAAAAA')
  const der = new X509Certificate(certificate).raw.toString('latin1')
  const rows: readonly (readonly [what: string, pair: typeof good, message: RegExp])[] = [
    ['no PEM', { certificate: 'hello', key }, /_CERT: .*cert\.pem has no certificate in PEM/],
    ['DER', { certificate: der, key }, /_CERT: .*cert\.pem has no certificate in PEM/],
    ['the files in each other’s place', { certificate: key, key: certificate }, /_CERT: /],
    ['damaged', { certificate: broken(certificate), key }, /_CERT: .*cert\.pem cannot be read/],
    ['no key', { certificate, key: certificate }, /_KEY: .*key\.pem has no private key in PEM/],
    ['a key with a passphrase', { certificate, key: encrypted }, /_KEY: .*key\.pem has a passph/],
    ['a damaged key', { certificate, key: broken(key) }, /_KEY: .*key\.pem cannot be read/],
    ['another’s key', { certificate, key: other.key }, /_KEY: .*key\.pem is not that of .*cert/],
  ]
  for (const [what, pair, message] of rows) {
    const opened = CertificateFiles.open(folderWith(t, pair))
    await t.rejects(opened, { name: 'CertificateError', message }, what)
    const error = (await opened.catch(error => error)) as Error
    t.notMatch(error.message, /\n/, what)
    t.match(error.message, /\. [A-Z].*\.$/, what)
  }
})

t.test('authorities of clients are read with it, and looked at again', async t => {
  const paths = folderWith(t, good)
  const clientCaFile = join(dirname(paths.keyFile), 'clients.pem')
  const rejected = CertificateFiles.open({ ...paths, clientCaFile: paths.keyFile })
  await t.rejects(rejected, { message: /_CLIENT_CA: .*key\.pem has no certificate in PEM/ })
  writeFileSync(clientCaFile, other.certificate)
  const files = await CertificateFiles.open({ ...paths, clientCaFile })
  t.equal(files.credentials.clientCa, other.certificate)
  t.notOk(await files.lookAgain())
  writeFileSync(clientCaFile, good.certificate)
  t.ok(await files.lookAgain())
  t.equal(files.credentials.clientCa, good.certificate)
})

t.test('a file that cannot be read is named, with the reason', async t => {
  const paths = folderWith(t, good)
  const rows: readonly (readonly [change: () => void, message: RegExp])[] = [
    [() => rmSync(paths.keyFile), /^ZONEWRIGHT_DNS_TLS_KEY: cannot read .*key\.pem: there is no/],
    [() => mkdirSync(paths.keyFile), /key\.pem: it is a folder/],
    [() => rmSync(paths.certificateFile), /^ZONEWRIGHT_DNS_TLS_CERT: cannot read .*cert\.pem/],
  ]
  for (const [change, message] of rows) {
    change()
    await t.rejects(CertificateFiles.open(paths), { name: 'CertificateError', message })
  }
})

t.test(
  'one that the user may not read is distinguished',
  { skip: process.getuid?.() === 0 && 'root may read everything' },
  async t => {
    const paths = folderWith(t, good)
    chmodSync(paths.keyFile, 0)
    await t.rejects(CertificateFiles.open(paths), { message: /key\.pem: not permitted/ })
  },
)

t.test(
  'a renewed pair is taken up once both files are there, and what fails is kept out',
  async t => {
    const paths = folderWith(t, good)
    const files = await CertificateFiles.open(paths)
    t.equal(await files.lookAgain(), false)

    // Half of it: as is for a moment while somebody replaces both.
    writeFileSync(paths.certificateFile, other.certificate)
    await t.rejects(files.lookAgain(), { name: 'CertificateError', message: /is not that of/ })
    t.strictSame(files.credentials, good)

    writeFileSync(`${paths.keyFile}.new`, other.key)
    renameSync(`${paths.keyFile}.new`, paths.keyFile)
    t.equal(await files.lookAgain(), true)
    t.strictSame(files.credentials, other)
    t.equal(await files.lookAgain(), false)

    rmSync(paths.certificateFile)
    await t.rejects(files.lookAgain(), { message: /there is no such file/ })
    t.strictSame(files.credentials, other)
  },
)
