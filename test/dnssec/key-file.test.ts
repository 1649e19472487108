import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { parseName } from '../../src/dns/name.ts'
import { ZoneKey } from '../../src/dnssec/key.ts'
import { bindPrivateKeyOf, pemOf, readPrivateKey } from '../../src/dnssec/key-file.ts'

const privateText = (algorithm: string, key: string) =>
  `Private-key-format: v1.3\nAlgorithm: ${algorithm}\nPrivateKey: ${key}\n`

const examples = [
  {
    name: 'RFC 6605 section 6.1',
    apex: 'example.net.',
    text: privateText('13 (ECDSAP256SHA256)', 'GU6SnQ/Ou+xC5RumuIUIuJZteXT2z0O/ok1s38Et6mQ='),
    tag: 55648,
    dnskey:
      '257 3 13 GojIhhXUN/u4v54ZQqGSnyhWJwaubCvTmeexv7bR6edbkrSqQpF64cYbcB7wNcP+e+MAnLr+Wi9xMWyQLc8NAA==',
    ds: '55648 13 2 b4c8c1fe2e7477127b27115656ad6256f424625bf5c1e2770ce6d6e37df61d17',
  },
  {
    name: 'RFC 8080 section 6.1',
    apex: 'example.com.',
    text: privateText('15 (ED25519)', 'ODIyNjAzODQ2MjgwODAxMjI2NDUxOTAyMDQxNDIyNjI='),
    tag: 3613,
    dnskey: '257 3 15 l02Woi0iS8Aa25FQkUd9RMzZHJpBoRQwAQEX1SxZJA4=',
    ds: '3613 15 2 3aa5ab37efce57f737fc1627013fee07bdf241bd10f3b1964ab55c78e79a304b',
  },
]

for (const { name, apex, text, tag, dnskey, ds } of examples) {
  t.test(`${name}: the key, its tag, DNSKEY and DS, and back again`, async t => {
    const key = new ZoneKey(readPrivateKey(text))
    t.equal(key.tag, tag)
    t.equal(key.dnskeyText(), dnskey)
    t.equal(key.dsText(parseName(apex)), ds)
    t.equal(bindPrivateKeyOf(key), text)
    t.equal(new ZoneKey(readPrivateKey(pemOf(key))).dnskeyText(), dnskey)
  })
}

t.test('RSA, by its eight numbers', async t => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const key = new ZoneKey(readPrivateKey(pem))
  t.equal(key.algorithm, 8)
  t.match(bindPrivateKeyOf(key), /^Algorithm: 8 \(RSASHA256\)$/m)
  t.same(readPrivateKey(bindPrivateKeyOf(key)), readPrivateKey(pem))
})

t.test('what is no key is refused, and the message has nothing of it', async t => {
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey
  const other = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey
  for (const text of [
    'hidden',
    '-----BEGIN PRIVATE KEY-----\nhidden\n',
    privateText('13 (ECDSAP256SHA256)', 'hidden'),
    privateText('5 (RSASHA1)', 'hidden'),
    'Algorithm: 8\nModulus: hidden\n',
    small.export({ format: 'pem', type: 'pkcs8' }).toString(),
    other.export({ format: 'pem', type: 'sec1' }).toString(),
  ]) {
    t.throws(() => readPrivateKey(text), /^((?!hidden).)*$/s)
  }
})
