import { existsSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import {
  readTableSnapshot,
  removeTableSnapshot,
  UnfinishedTableSnapshot,
} from '../../src/publish/table-snapshot-file.ts'
import { serverFolder } from '../helpers/server-folder.ts'

const image = Uint8Array.from({ length: 100_000 }, (_, i) => i * 7)
const head = { target: 42, stamp: 'a stamp', atMillis: 1234 }
const always = () => true
const inTime = { maxMillis: 60_000 }

t.test('what is written and sealed is read, by its owner alone', async t => {
  const path = join(serverFolder(t), 'table')
  t.equal(await readTableSnapshot(path, always), undefined)
  const file = new UnfinishedTableSnapshot(path, image, inTime)
  t.equal(await readTableSnapshot(path, always), undefined)
  file.finish(head)
  const seen: object[] = []
  const read = await readTableSnapshot(path, each => seen.push(each) > 0)
  t.same(new Uint8Array(read?.memory ?? new SharedArrayBuffer(0)), image)
  t.equal(read?.target, 42)
  t.match(seen, [head])
  t.equal(statSync(path).mode & 0o777, 0o600)
  t.equal(await readTableSnapshot(path, () => false), undefined)
})

t.test('what is not whole is not read', async t => {
  const path = join(serverFolder(t), 'table')
  const write = () => new UnfinishedTableSnapshot(path, image, inTime).finish(head)
  const spoil = (text: string | RegExp, by: string) => {
    writeFileSync(path, readFileSync(path, 'latin1').replace(text, by), 'latin1')
  }
  const faults: [string, () => void][] = [
    ['an octet of the memory', () => spoil('\x07\x0e\x15', '\x07\x0f\x15')],
    ['another format', () => spoil(/"format":\d+/, '"format":0')],
    ['no head', () => spoil('{', ' ')],
    ['cut off', () => truncateSync(path, 50_000)],
    ['empty', () => truncateSync(path, 0)],
    ['longer', () => writeFileSync(path, 'x', { flag: 'a' })],
  ]
  for (const [fault, make] of faults) {
    write()
    t.ok(await readTableSnapshot(path, always))
    make()
    t.equal(await readTableSnapshot(path, always), undefined, fault)
  }
})

t.test('what is removed is gone, finished or not', async t => {
  const path = join(serverFolder(t), 'table')
  new UnfinishedTableSnapshot(path, image, inTime).finish(head)
  const unsealed = new UnfinishedTableSnapshot(path, image, inTime)
  await removeTableSnapshot(path)
  await removeTableSnapshot(path)
  t.notOk(existsSync(path) || existsSync(`${path}.tmp`))
  unsealed.discard()
})

t.test('what is discarded, or cannot be written, leaves nothing', async t => {
  const folder = serverFolder(t)
  const path = join(folder, 'table')
  new UnfinishedTableSnapshot(path, image, inTime).discard()
  t.notOk(existsSync(path) || existsSync(`${path}.tmp`))
  mkdirSync(path)
  const file = new UnfinishedTableSnapshot(path, image, inTime)
  t.throws(() => file.finish(head), { code: 'EISDIR' })
  t.notOk(existsSync(`${path}.tmp`))
  const other = join(folder, 'other')
  t.throws(() => new UnfinishedTableSnapshot(other, image, { maxMillis: -1 }), /too long/)
  t.notOk(existsSync(`${other}.tmp`))
  t.throws(() => new UnfinishedTableSnapshot(join(folder, 'no', 'table'), image, inTime), {
    code: 'ENOENT',
  })
})
