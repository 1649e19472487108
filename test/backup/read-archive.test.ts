import { buffer } from 'node:stream/consumers'
import t from 'tap'
import { readArchive } from '../../src/backup/read-archive.ts'
import { encodeTarHeader, paddingOf } from '../../src/backup/tar.ts'
import { fileOf, writeArchive } from '../../src/backup/write-archive.ts'
import { Dice } from '../helpers/dice.ts'

const info = { format: 1, version: '1', at: '2026-11-23T00:00:00.000Z' } as const
const contents = new Map([
  ['manifest.json', Buffer.from('{}')],
  ['journal/0000000000000001.log', Buffer.alloc(1000, 'log')],
  ['rating/empty', Buffer.alloc(0)],
])

async function archiveOf(files = contents): Promise<Buffer> {
  const all = Array.from(files, ([name, content]) => fileOf(name, content))
  return await buffer(writeArchive(info, all))
}

async function* inPieces(octets: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < octets.length; at += size) yield octets.subarray(at, at + size)
}

/** Reads an archive; returns what its files hold. */
async function read(octets: Buffer, size = 777): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>()
  await readArchive(inPieces(octets, size), async (name, pieces) => {
    found.set(name, await buffer(pieces))
  })
  return found
}

t.test('an archive is read as it was written, in pieces of any size', async t => {
  const archive = await archiveOf()
  for (const size of [1, 511, 512, 100_000]) t.same(await read(archive, size), contents)
})

t.test('an archive that is cut off anywhere, or goes on, is refused', async t => {
  const archive = await archiveOf()
  for (let length = 0; length < archive.length; length += 97)
    await t.rejects(read(archive.subarray(0, length)), { name: 'ArchiveError' }, `${length}`)
  await t.rejects(read(archive.subarray(0, -1)), { name: 'ArchiveError' })
  await t.rejects(read(Buffer.concat([archive, Buffer.from('x')])), { name: 'ArchiveError' })
})

t.test('an octet that is changed where it matters is noticed', async t => {
  const archive = await archiveOf()
  const dice = new Dice(7)
  let refused = 0
  for (let round = 0; round < 300; round += 1) {
    const changed = Buffer.from(archive)
    const at = dice.below(archive.length)
    changed[at] = (changed[at] ?? 0) ^ (1 << dice.below(8))
    // Padding, and what of a header is not used, means nothing: the files are the same then.
    const outcome = await read(changed).catch(error => {
      t.equal(error.name, 'ArchiveError', String(error.stack))
      refused += 1
      return contents
    })
    t.same(outcome, contents)
  }
  t.ok(refused > 150, `${refused} were refused`)
})

t.test('a name that leads elsewhere, or is there twice, is refused', async t => {
  for (const name of ['../up', '/etc/passwd', 'a/../../b', '.hidden', 'a//b', 'a b', ''])
    await t.rejects(read(await archiveOf(new Map([[name, Buffer.alloc(1)]]))), {
      name: 'ArchiveError',
      message: /it has a file named/,
    })
  const archive = await archiveOf(new Map([['a', Buffer.from('1')]]))
  const twice = Buffer.concat([
    archive.subarray(0, 2048),
    encodeTarHeader({ name: 'a', octets: 1 }, 0),
    Buffer.from('1'),
    Buffer.alloc(paddingOf(1)),
    archive.subarray(2048),
  ])
  await t.rejects(read(twice), { message: 'it has a twice' })
})

t.test('what is no backup, or of a later format, is refused', async t => {
  await t.rejects(read(Buffer.from('text')), { name: 'ArchiveError', message: /ends early/ })
  await t.rejects(read(Buffer.alloc(2048)), { name: 'ArchiveError', message: /no tar archive/ })
  const ofFormat = (format: number) =>
    buffer(writeArchive({ ...info, format: format as 1, version: '9.9.9' }, []))
  const later = 'it was made by a later version, 9.9.9: it has format 2, and this version reads 1'
  await t.rejects(read(await ofFormat(2)), { message: later })
  await t.rejects(read(await ofFormat(0)), { message: 'it has format 0, and this version reads 1' })
})
