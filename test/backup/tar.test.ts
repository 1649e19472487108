import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { blockOctets, decodeTarHeader, encodeTarHeader, paddingOf } from '../../src/backup/tar.ts'

const atSeconds = 1_800_000_000

t.test('a header is read as it was written, whatever the size', async t => {
  for (const octets of [0, 1, 512, 8 ** 11 - 1, 8 ** 11, 2 ** 45]) {
    const entry = { name: 'usage/hours/2026-11/00000001.segment', octets }
    const block = encodeTarHeader(entry, atSeconds)
    t.equal(block.length, blockOctets)
    t.same(decodeTarHeader(block), entry)
  }
})

t.test('a changed octet of a header is noticed, and so is what is no regular file', async t => {
  const block = encodeTarHeader({ name: 'a', octets: 7 }, atSeconds)
  for (const at of [0, 124, 135, 257]) {
    const changed = Buffer.from(block)
    changed[at] = (changed[at] ?? 0) + 1
    t.equal(decodeTarHeader(changed), undefined, `octet ${at}`)
  }
  const link = Buffer.from(block)
  link[156] = '2'.charCodeAt(0)
  link[153] = (link[153] ?? 0) + 2
  t.equal(decodeTarHeader(link), undefined, 'a link')
  t.throws(() => encodeTarHeader({ name: 'a'.repeat(101), octets: 0 }, atSeconds), RangeError)
})

t.test('tar of the system lists what was written', async t => {
  const content = Buffer.from('hello\n')
  const path = join(t.testdir(), 'a.tar')
  const header = encodeTarHeader({ name: 'b/hello.txt', octets: content.length }, atSeconds)
  const padding = Buffer.alloc(paddingOf(content.length) + 2 * blockOctets)
  writeFileSync(path, Buffer.concat([header, content, padding]))
  const listed = spawnSync('tar', ['-xOf', path, 'b/hello.txt'], { encoding: 'utf8' })
  t.equal(listed.stdout, 'hello\n')
})
