import { cp, readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import t, { type Test } from 'tap'
import { makeDurableDirectory } from '../../src/durable/directories.ts'
import { openLowdbStore } from '../../src/store/lowdb-store.ts'
import type { Store } from '../../src/store/store.ts'
import { fakeClock } from '../helpers/clock.ts'
import { Dice } from '../helpers/dice.ts'
import { nothingLost, SimulatedDisk, someLost } from '../helpers/simulated-disk.ts'
import { storeText } from '../helpers/store-model.ts'
import { testZoneId, uuidOf } from '../helpers/store-rows.ts'

// Directories as earlier versions of the program left them behind, ended by a kill: documents, and behind them a
// journal that a start has to apply.

/** A copy of a kept directory, on a real disk. */
async function copyOf(t: Test, name: string): Promise<string> {
  const directory = join(t.testdir(), 'data')
  await cp(join(import.meta.dirname, 'kept', name), directory, { recursive: true })
  return directory
}

/** The same on a disk that can lose power. */
async function diskWith(name: string, directory: string): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk()
  const root = join(import.meta.dirname, 'kept', name)
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const source = join(entry.parentPath, entry.name)
    const path = join(directory, relative(root, source))
    await makeDurableDirectory(disk, dirname(path))
    const file = await disk.create(path)
    await file.append(await readFile(source))
    await file.sync()
    await disk.syncDirectory(dirname(path))
  }
  return disk
}

t.test('a store of format 1 has all it held, and is of format 3 from then on', async t => {
  const directory = await copyOf(t, 'format-1')
  const open = () => openLowdbStore({ directory, clock: fakeClock() })
  const store = await open()
  const rows = [...store.list('recordsets', 'byZone', testZoneId)]
  await store.close()
  t.strictSame(
    rows.map(({ name, type, ttlSeconds, records }) => [name, type, ttlSeconds, records]),
    [
      [
        'example.com.',
        'SOA',
        null,
        ['ns1.example.org. hostmaster.example.com. 1 3600 600 86400 3600'],
      ],
      ['example.com.', 'NS', 86_400, ['ns1.example.org.', 'NS2.Example.org.']],
      ['WWW.Example.com.', 'A', 60, ['192.0.2.2', '192.0.2.1']],
      ['host4.example.com.', 'AAAA', null, ['2001:db8::2']],
      ['host5.example.com.', 'TXT', null, ['v=spf1 mx -all', '"one" "two"', '"\\\\ \\" \\233"']],
      ['host6.example.com.', 'MX', null, ['10  mail.example.net.']],
      ['\\097\\.b.example.com.', 'A', null, ['192.0.2.8']],
      ['host9.example.com.', 'A', null, ['192.0.2.1']],
      ['host10.example.com.', 'A', null, []],
      ['host11.example.com.', 'A', null, ['192.0.2.11']],
    ],
  )
  t.match(rows[2], { id: uuidOf(3), description: 'caf\u00e9 \u0416', version: 1, updatedAt: null })
  t.match(rows[7], { shareId: uuidOf(900), recordMarks: { nextNumber: 2 } })
  t.match(await readFile(join(directory, 'manifest.json'), 'utf8'), /"format": 3/)
  const again = await open()
  t.strictSame([...again.list('recordsets', 'byZone', testZoneId)], rows)
  await again.close()
})

/** Of the zones 1 to 4 of the kept store of format 2, in order of creation. */
const hostsOf = (store: Store, zone: number) =>
  [...store.list('recordsets', 'byZone', uuidOf(9000 + zone))].map(({ name }) => name)

const hosts = (zone: number, from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `host${from + i}.zone${zone}.example.`)

t.test('a store of format 2 has all it held, and its files are kept aside', async t => {
  const directory = await copyOf(t, 'format-2')
  const open = () => openLowdbStore({ directory, clock: fakeClock() })
  const store = await open()
  // A large zone in shards, whose journal deletes one record set; a small one; one that the journal deletes; one that
  // came in bulk.
  const large = hosts(1, 100, 160).filter(name => !name.startsWith('host106.'))
  t.same(hostsOf(store, 1), large)
  t.match(store.get('recordsets', uuidOf(105)), { version: 2, records: ['192.0.2.99'] })
  t.same(hostsOf(store, 2), hosts(2, 200, 203))
  t.match(store.get('recordsets', uuidOf(201)), { version: 2, ttlSeconds: 77 })
  t.equal(store.get('zones', uuidOf(9003)), undefined)
  t.same(hostsOf(store, 3), [])
  t.same(hostsOf(store, 4), hosts(4, 400, 420))
  t.match(store.get('recordsets', uuidOf(400)), { version: 2, description: 'caf\u00e9' })
  t.match(store.get('zones', uuidOf(9004)), { serial: 2 })
  t.match(store.get('tlds', uuidOf(8001)), { name: 'example' })
  t.match(store.get('quotas', uuidOf(8002)), { zones: 7 })
  t.equal(store.count('recordsets', 'byZone', testZoneId), 10)
  const text = storeText(store)
  const history: number[] = []
  for await (const { lsn } of store.history(0)) history.push(lsn)
  t.equal(history.at(-1), store.lastLsn, 'what was journaled can be read again')
  await store.close()
  const names = await readdir(directory)
  for (const name of ['zones', 'system', 'zones.json', 'manifest.json.prev'])
    t.ok(names.includes(`${name}.format-2`), `${name} is kept aside`)
  for (const name of ['zones', 'system', 'zones.json']) t.notOk(names.includes(name))
  const again = await open()
  t.equal(storeText(again), text)
  await again.close()
})

t.test('a migration can be interrupted anywhere, and loses nothing', async t => {
  const directory = '/srv/store'
  const open = (files: SimulatedDisk) =>
    openLowdbStore({ directory, clock: fakeClock(), files, historyOctets: 1_000_000 })
  for (const name of ['format-1', 'format-2']) {
    const kept = await diskWith(name, directory)
    const text = storeText(await open(kept.after(nothingLost)))
    const dice = new Dice(7)
    const disk = kept.after(nothingLost)
    const pictures: { readonly moment: string; readonly disk: SimulatedDisk }[] = []
    disk.before = ({ kind, path }) => {
      for (const loss of [nothingLost, someLost(dice, 2), someLost(dice, 8)])
        pictures.push({ moment: `${kind} ${path}`, disk: disk.after(loss) })
    }
    await open(disk)
    t.ok(pictures.length >= 60, `${pictures.length} pictures`)
    const defects: string[] = []
    for (const { moment, disk } of pictures) {
      const found = await open(disk).then(storeText, String)
      if (found !== text) defects.push(`${moment}: ${found.slice(0, 200)}`)
      const again = await open(disk.after(nothingLost)).then(storeText, String)
      if (again !== text) defects.push(`${moment}, again: ${again.slice(0, 200)}`)
    }
    t.same(defects.slice(0, 5), [])
  }
})

t.test('a migration that the disk has no room for is made when there is', async t => {
  const directory = '/srv/store'
  const disk = await diskWith('format-2', directory)
  const open = () => openLowdbStore({ directory, clock: fakeClock(), files: disk })
  disk.capacityOctets = disk.usedOctets + 5000
  const store = await open()
  const text = storeText(store)
  t.match(store.readOnlyReason, /full/)
  t.same(hostsOf(store, 2), hosts(2, 200, 203), 'all is read meanwhile')
  disk.capacityOctets = Number.POSITIVE_INFINITY
  await store.resume()
  t.equal(store.readOnlyReason, undefined)
  t.ok(disk.paths.some(path => path.includes('/zones.format-2/')))
  await store.close()
  t.equal(storeText(await open()), text)
})
