import t from 'tap'
import { parseName } from '../../../src/dns/name.ts'
import { hashWords } from '../../../src/zone/table/layout.ts'
import { Nsec3Hash, readHashLabel, writeHashLabel } from '../../../src/zone/table/nsec3-hash.ts'
import { hashOf } from '../../helpers/sign-zone.ts'

function hashed(octets: Uint8Array, salt: Uint8Array, iterations: number): Int32Array {
  const hash = new Nsec3Hash()
  const settings = { salt, saltAt: 0, saltOctets: salt.length, iterations }
  hash.hash(octets, 0, octets.length, settings)
  return hash.words
}

function labelOf(words: Int32Array): string {
  const octets = new Uint8Array(33)
  writeHashLabel(words, 0, octets, 0)
  return Buffer.from(octets).toString('latin1', 1)
}

for (const [name, expected] of [
  ['example.', '0p9mhaveqvm6t7vbl5lop2u3t2rp3tom'],
  ['a.example.', '35mthgpgcu1qg68fab165klnsnk3dpvl'],
  ['ns1.example.', '2t7b4g4vsa5smi47k61mv5bv1a22bojr'],
  ['*.w.example.', 'r53bq7cc2uvmubfu5ocmm6pers9tk9en'],
  ['x.y.w.example.', '2vptu5timamqttgl4luu9kg21e0aor3s'],
] as const) {
  t.test(`the hash of ${name} is that of RFC 5155 appendix A`, async t => {
    const octets = Buffer.from(parseName(name), 'latin1')
    t.equal(labelOf(hashed(octets, Uint8Array.of(0xaa, 0xbb, 0xcc, 0xdd), 12)), expected)
  })
}

t.test('names and salts of any length are hashed as node:crypto hashes them', async t => {
  for (let length = 0; length < 256; length += 1) {
    const name = String.fromCharCode(...Array.from({ length }, (_, i) => (i * 7 + length) & 0xff))
    const salt = Uint8Array.from({ length: (length * 5) % 256 }, (_, i) => i)
    const words = hashed(Buffer.from(name, 'latin1'), salt, length % 3)
    const wanted = hashOf(parseName('.').replace('\0', name) as never, {
      denial: 'nsec3',
      salt,
      iterations: length % 3,
    })
    const found = Buffer.alloc(20)
    for (const [i, word] of words.entries()) found.writeInt32BE(word, 4 * i)
    if (!found.equals(wanted)) t.fail(`${length} octets`)
  }
  t.pass()
})

t.test('a label is read in either case, and nothing else is one', async t => {
  const label = '0p9mhaveqvm6t7vbl5lop2u3t2rp3tom'
  const words = new Int32Array(hashWords)
  for (const text of [label, label.toUpperCase()]) {
    t.ok(readHashLabel(Buffer.from(` ${text}`), 0, words))
    t.equal(labelOf(words), label)
  }
  for (const text of [
    label.slice(1),
    `${label}0`,
    label.replace('0', 'w'),
    label.replace('p', '-'),
  ]) {
    const octets = Buffer.from(` ${text}`)
    octets[0] = text.length
    t.notOk(readHashLabel(octets, 0, words), text)
  }
})
