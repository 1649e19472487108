import t from 'tap'
import type { Recordset } from '../../src/model/recordset.ts'
import { writeDocument } from '../../src/store/document.ts'
import { documentOf, documentPath, segmentPath } from '../../src/store/layout.ts'
import { checkStore, describeRepair, repairStore } from '../../src/store/repair.ts'
import type { Store, Transaction } from '../../src/store/store.ts'
import { openIn } from '../helpers/crash-points.ts'
import { Dice } from '../helpers/dice.ts'
import { withoutRoom } from '../helpers/log-end.ts'
import { nothingLost, SimulatedDisk, someLost } from '../helpers/simulated-disk.ts'
import { storeText } from '../helpers/store-model.ts'
import { recordsetRow, uuidOf, zoneRow } from '../helpers/store-rows.ts'
import { textsLikeFrames } from '../helpers/texts-like-frames.ts'

const directory = '/srv/store'
const zoneIds = [uuidOf(900_001), uuidOf(900_002)] as const
/** As the second of three checkpoints has written it. */
const zonePath = (which: 0 | 1) => documentPath(directory, documentOf('zones', zoneIds[which]), 2)
const segment = (generation: number) => segmentPath(directory, generation)

const recordset = (number: number, which: 0 | 1, version = 1): Recordset =>
  recordsetRow({
    id: uuidOf(number),
    createdAt: 10 + number,
    version,
    zoneId: zoneIds[which],
    name: `host${number}.zone${which}.example.`,
  })

const project = { id: 'p', version: 1, createdAt: 1, updatedAt: null, name: 'p', description: '' }

/** A store of a small zone, a large one and a project, twice checkpointed; once more, of the project alone; and five more
 *  commits that are in the log only: 6 to 10, record sets 401 to 405 of the small zone. */
async function filled(options: { readonly historyOctets?: number } = {}) {
  const disk = new SimulatedDisk()
  const store = await openIn(disk, options)
  const put = (row: Recordset) => store.commit(tx => tx.put('recordsets', row))
  const putProject = (tx: Transaction, version: number) =>
    tx.put('projects', { ...project, version, domainId: 'default', isEnabled: true })
  for (const version of [1, 2]) {
    await store.commit(tx => {
      for (const which of [0, 1] as const) {
        const name = `zone${which}.example.`
        tx.put('zones', zoneRow({ id: zoneIds[which], createdAt: 1 + which, name, version }))
      }
      putProject(tx, version)
      for (let i = 0; i < 80; i += 1) tx.put('recordsets', recordset(i, 1, version))
    })
    await put(recordset(400, 0, version))
    await store.checkpoint()
  }
  await store.commit(tx => putProject(tx, 3))
  await store.checkpoint()
  for (let i = 401; i <= 405; i += 1) await put(recordset(i, 0))
  return { disk, before: store }
}

const logPath = `${directory}/journal/0000000000000006.log`

const names = (store: Store) =>
  zoneIds.flatMap(id => [...store.list('recordsets', 'byZone', id)].map(({ name }) => name))

const repair = (files: SimulatedDisk) => repairStore({ directory, files })
const check = (files: SimulatedDisk) => checkStore({ directory, files })

const rubbish = () => Buffer.from('rubbish')

/** Gives the content of a file to another. */
async function copy(disk: SimulatedDisk, from: string, to: string): Promise<void> {
  const octets = await disk.read(from)
  disk.damage(to, () => octets ?? Buffer.alloc(0))
}

/** Changes an octet of the line that holds a text. */
const spoil = (text: string) => (octets: Buffer) => {
  octets.write('X', octets.indexOf(text))
  return octets
}

t.test('a store that is sound, or was only interrupted, is not touched', async t => {
  const { disk, before } = await filled()
  disk.damage(logPath, octets => withoutRoom(octets).subarray(0, -3))
  disk.before = ({ kind, path }) => {
    throw new Error(`${kind} ${path}`)
  }
  const report = await repair(disk)
  t.same(report.defects, [])
  t.match(describeRepair(report), /Nothing is wrong/)
  disk.before = () => undefined
  t.equal(names(await openIn(disk)).length, names(before).length - 1)
})

type Case = {
  readonly rule: string
  readonly damage: (disk: SimulatedDisk) => void | Promise<void>
  readonly file: RegExp
  /** Names of record sets that are lost. */
  readonly lost: readonly number[]
  /** The version of the project. */
  readonly version?: number
  readonly report?: object
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

const cases: readonly Case[] = [
  {
    rule: 'a batch of the log: that change is given up and those behind it',
    damage: disk => disk.damage(logPath, spoil('host402')),
    file: /journal.*log/,
    lost: [402, 403, 404, 405],
    report: {
      givenUpChanges: [{ firstLsn: 7, lastLsn: 10 }],
      setAside: [`${logPath}.damaged`],
    },
  },
  {
    rule: 'the whole log: what only it had is lost',
    damage: async disk => {
      for (const path of disk.paths) if (path.endsWith('.log')) await disk.remove(path)
    },
    file: /journal/,
    lost: [401, 402, 403, 404, 405],
    report: { setAside: [] },
  },
  {
    rule: 'a segment: its record sets are as they were before, and their zones are said',
    damage: disk => disk.damage(segment(2), spoil('host7')),
    file: /0002\.segment/,
    lost: [],
    report: {
      setAside: [`${segment(2)}.damaged`],
      lostRecordsets: [
        { zone: 'zone1.example.', count: 80 },
        { zone: 'zone0.example.', count: 1 },
      ],
    },
  },
  {
    rule: 'a segment, by another in its place: what that has may be older, and is not used',
    damage: disk => copy(disk, segment(1), segment(2)),
    file: /0002\.segment/,
    lost: [],
    report: { setAside: [`${segment(2)}.damaged`] },
  },
  {
    rule: 'all segments: their record sets are lost, and other zones are there',
    damage: async disk => {
      await disk.remove(segment(1))
      disk.damage(segment(2), rubbish)
    },
    file: /0001\.segment/,
    lost: [...range(0, 80), 400],
    report: { setAside: [`${segment(2)}.damaged`], lostRecordsets: [] },
  },
  {
    rule: 'the document of a zone: what else there is of it is of no use without it',
    damage: disk => disk.damage(zonePath(0), rubbish),
    file: /zones-.*\.2\.json/,
    lost: range(400, 406),
    report: { orphanCount: 6, setAside: [`${zonePath(0)}.damaged`] },
  },
  {
    rule: 'the manifest: nothing is lost',
    damage: async disk => {
      await disk.remove(`${directory}/manifest.json`)
      disk.damage(`${directory}/manifest.json.prev`, rubbish)
    },
    file: /manifest/,
    lost: [],
  },
  {
    rule: 'a document and the log that would heal it: its older copy is used',
    damage: async disk => {
      disk.damage(documentPath(directory, 'projects', 3), rubbish)
      await disk.remove(`${directory}/journal/0000000000000005.log`)
    },
    file: /0006\.log/,
    lost: [],
    version: 2,
    report: { agedDocuments: [documentPath(directory, 'projects', 3)], givenUpChanges: [] },
  },
]

for (const { rule, damage, file, lost, version = 3, report = {} } of cases) {
  t.test(`damage to ${rule}`, async t => {
    const { disk, before } = await filled()
    await damage(disk)
    await t.rejects(openIn(disk), { name: 'DamageError' })
    const defects = await check(disk)
    t.match(defects[0]?.file, file)
    const found = await repair(disk)
    t.same(found.defects, defects, 'a check finds what a repair does')
    t.match(found, report)
    for (const path of found.setAside) t.ok(disk.paths.some(each => each.startsWith(path)))
    t.match(describeRepair(found), defects[0]?.problem)
    const store = await openIn(disk)
    const expected = names(before).filter(name => !lost.some(i => name.startsWith(`host${i}.`)))
    t.same(names(store), expected)
    t.match(store.get('projects', 'p'), { version })
    await goesOn(disk, store)
    t.same(await check(disk), [], 'it is sound again')
  })
}

/** Commits and checkpoints, twice each, and opens again. */
async function goesOn(disk: SimulatedDisk, store: Store & { checkpoint(): Promise<void> }) {
  for (const version of [3, 4]) {
    await store.commit(tx => tx.put('zones', zoneRow({ id: uuidOf(77), name: 'x.', version })))
    await store.checkpoint()
  }
  const text = storeText(store)
  await store.close()
  if (storeText(await openIn(disk)) !== text) throw new Error('the repaired store loses commits')
}

t.test('of a lost small collection there is what the log has, and the rest is there', async t => {
  const { disk, before } = await filled()
  for (const generation of [2, 3])
    disk.damage(documentPath(directory, 'projects', generation), rubbish)
  await repair(disk)
  const store = await openIn(disk)
  t.match(store.get('projects', 'p'), { version: 3 })
  t.same(names(store), names(before))
})

t.test('a log that has all there ever was restores any file, and stays the history', async t => {
  const { disk: sound, before } = await filled({ historyOctets: 1_000_000 })
  const lost = [
    [segment(1), segment(2)],
    [zonePath(0), zonePath(1)],
    [2, 3].map(generation => documentPath(directory, 'projects', generation)),
  ]
  for (const paths of lost) {
    const disk = sound.after(nothingLost)
    for (const path of paths) disk.damage(path, rubbish)
    t.match(await repair(disk), { lostRecordsets: [], agedDocuments: [], givenUpHistory: [] })
    const store = await openIn(disk, { historyOctets: 1_000_000 })
    t.equal(storeText(store), storeText(before))
    t.same(await historyOf(store), range(1, 11))
    await goesOn(disk, store)
  }
})

t.test(
  'history stays where nothing of a zone is lost, and is said to be given up otherwise',
  async t => {
    const { disk: sound } = await filled()
    const other = sound.after(nothingLost)
    other.damage(documentPath(directory, 'projects', 3), rubbish)
    other.damage(documentPath(directory, 'projects', 2), rubbish)
    t.match(await repair(other), { givenUpHistory: [] })
    t.same(await historyOf(await openIn(other)), range(5, 11))
    const zone = sound.after(nothingLost)
    zone.damage(zonePath(0), rubbish)
    const report = await repair(zone)
    t.match(describeRepair(report), /without the changes:\n {2}5 to 10\n/)
    t.same(await historyOf(await openIn(zone)), [])
  },
)

/** The numbers of the commits that the log has. */
async function historyOf(store: Store): Promise<readonly number[]> {
  const numbers: number[] = []
  for await (const { lsn } of store.history(0)) numbers.push(lsn)
  return numbers
}

t.test('numbers and times go on behind those of lost changes', async t => {
  const { disk } = await filled()
  disk.damage(logPath, spoil('host402'))
  await repair(disk)
  const store = await openIn(disk, { clock: { nowMillis: () => 0 } })
  const commits: { lsn: number; atMicros: number }[] = []
  store.setCommitListener(commit => void commits.push(commit))
  await store.commit(tx => tx.put('recordsets', recordset(500, 0)))
  t.equal(commits[0]?.lsn, 11)
  t.ok((commits[0]?.atMicros ?? 0) > 1_000_000_000_000_000)
})

t.test('a document in the place of another is noticed, sound as it is', async t => {
  const { disk } = await filled()
  const projects = (generation: number) => documentPath(directory, 'projects', generation)
  await copy(disk, projects(2), projects(3))
  t.match((await openIn(disk.after(nothingLost))).get('projects', 'p'), { version: 3 }, 'healed')
  await copy(disk, zonePath(0), zonePath(1))
  const [{ file, problem } = {}] = await check(disk)
  t.match([file, problem], [zonePath(1), /another file/])
})

t.test('two rows that claim one name: the later is left out', async t => {
  const disk = new SimulatedDisk()
  const store = await openIn(disk)
  await store.commit(tx => tx.put('zones', zoneRow()))
  await store.checkpoint()
  const copy = zoneRow({ id: uuidOf(5), createdAt: 2 })
  const path = documentPath(directory, documentOf('zones', zoneRow().id), 1)
  const { checksum } = await writeDocument(disk, path, { rows: [zoneRow(), copy] })
  const manifest = JSON.parse(String(await disk.read(`${directory}/manifest.json`)))
  delete manifest._crc
  manifest.documents = manifest.documents.map((each: object) => ({ ...each, checksum }))
  await writeDocument(disk, `${directory}/manifest.json`, manifest)
  await t.rejects(openIn(disk), { name: 'DamageError', message: /has the same byName as/ })
  await repair(disk)
  const repaired = await openIn(disk)
  t.equal(repaired.get('zones', copy.id), undefined)
  t.ok(repaired.get('zones', zoneRow().id))
})

t.test('a record set in a damaged frame deletes none of another zone', async t => {
  const { disk, before } = await filled()
  const records = textsLikeFrames(uuidOf(400))
  await before.commit(tx => {
    tx.put('recordsets', { ...recordset(1, 1, 3), type: 'TXT', records })
    tx.put('recordsets', recordset(0, 1, 3))
  })
  await before.checkpoint()
  disk.damage(segment(4), spoil('host0'))
  for (const path of disk.paths) if (path.endsWith('.log')) await disk.remove(path)
  t.match(await repair(disk), { lostRecordsets: [{ zone: 'zone1.example.', count: 2 }] })
  t.ok((await openIn(disk)).get('recordsets', uuidOf(400)))
})

t.test('a log that the disk cannot read any more is damaged', async t => {
  const { disk } = await filled()
  disk.makeUnreadable(logPath)
  await t.rejects(openIn(disk), { file: logPath, message: /cannot be read .*EIO.* store repair/ })
  t.match(await repair(disk), { setAside: [`${logPath}.damaged`] })
  await goesOn(disk, await openIn(disk))
})

t.test('a file that this user may not read is not given up as damaged', async t => {
  for (const path of [`${directory}/manifest.json`, zonePath(0), segment(2), logPath]) {
    const { disk } = await filled()
    disk.makeUnreadable(path, 'EACCES')
    await t.rejects(openIn(disk), { code: 'EACCES' }, path)
    await t.rejects(repair(disk), { code: 'EACCES' }, path)
  }
})

t.test('the damaged files are kept as they were', async t => {
  const { disk } = await filled()
  disk.damage(zonePath(0), rubbish)
  await repair(disk)
  t.same(await disk.read(`${zonePath(0)}.damaged`), rubbish())
})

t.test('another version, and a directory without a store, are left alone', async t => {
  const { disk } = await filled()
  const manifest = { _lsn: 0, format: 4 } as never
  await writeDocument(disk, `${directory}/manifest.json`, manifest)
  await t.rejects(repair(disk), { name: 'OtherFormatError', message: /format 4/ })
  const empty = new SimulatedDisk()
  await t.rejects(repair(empty), { name: 'DamageError', message: /no store/ })
  t.same(empty.paths, [])
})

t.test('a repair that is interrupted anywhere can be run again', async t => {
  const dice = new Dice(1)
  const { disk: damaged } = await filled()
  damaged.damage(segment(1), rubbish)
  damaged.damage(logPath, spoil('host402'))
  const whole = damaged.after(nothingLost)
  let changeCount = 0
  whole.before = () => {
    changeCount += 1
  }
  await repair(whole)
  const text = storeText(await openIn(whole))
  t.ok(changeCount > 20, `${changeCount} changes of the disk`)
  const defects: string[] = []
  for (let stopAt = 1; stopAt <= changeCount; stopAt += 1) {
    const disk = damaged.after(nothingLost)
    let count = 0
    disk.before = ({ kind, path }) => {
      count += 1
      if (count === stopAt) throw new Error(`stopped at ${kind} ${path}`)
    }
    const error = await repair(disk).catch((error: unknown) => error)
    const after = disk.after(someLost(dice, 3))
    await repair(after)
    const found = await openIn(after).then(storeText, String)
    if (found !== text) defects.push(`${String(error)}: ${found.slice(0, 300)}`)
  }
  t.same(defects, [])
})

t.test('whatever is damaged, a repaired store opens, and has no row that never was', async t => {
  const dice = new Dice(2)
  const { disk } = await filled()
  const versions = new Set(storeText(await openIn(disk.after(nothingLost))).split('\n'))
  const defects: string[] = []
  for (let i = 0; i < 100; i += 1) {
    const damaged = disk.after(nothingLost)
    for (let files = 1 + dice.below(4); files > 0; files -= 1) await damageOne(damaged, dice)
    try {
      if ((await check(damaged)).some(({ file }) => file === directory)) t.fail('a duplicate')
      await repair(damaged)
      const rows = storeText(await openIn(damaged)).split('\n')
      const isNew = (row: string) => !versions.has(row) && !/"version",[12]\b/.test(row)
      for (const row of rows.filter(isNew)) defects.push(`${i}: ${row}`)
    } catch (error) {
      // With neither manifest nor anything else there is no store any more.
      if (!String(error).includes('no store')) defects.push(`${i}: ${error}`)
    }
  }
  t.same(defects.slice(0, 5), [])
})

async function damageOne(disk: SimulatedDisk, dice: Dice): Promise<void> {
  const path = dice.pick(disk.paths)
  const octet = dice.below(1000)
  const kinds: (() => void | Promise<void>)[] = [
    () => disk.remove(path),
    () => disk.damage(path, octets => octets.subarray(0, dice.below(octets.length))),
    () => disk.damage(path, octets => octets.fill(0, octet % octets.length)),
    () =>
      disk.damage(path, octets => {
        const at = octet % octets.length
        octets[at] = (octets[at] ?? 0) ^ (1 << dice.below(8))
        return octets
      }),
  ]
  await dice.pick(kinds)()
}

t.test('damage in what is only kept for history costs nothing but that', async t => {
  const disk = new SimulatedDisk()
  const store = await openIn(disk, { historyOctets: 1_000_000 })
  await store.commit(tx => tx.put('zones', zoneRow({ id: zoneIds[0] })))
  for (const number of [1, 2, 3, 4]) {
    await store.commit(tx => tx.put('recordsets', recordset(number, 0)))
    if (number < 4) await store.checkpoint()
  }
  const segments = (await disk.list(`${directory}/journal`)).map(name => Number.parseInt(name, 10))
  t.same(segments, [1, 3, 4, 5])
  disk.damage(`${directory}/journal/0000000000000001.log`, rubbish)
  const text = storeText(store)
  t.same(await check(disk), [], 'it is not needed')
  for (const lost of ['manifest.json', 'manifest.json.prev'])
    disk.damage(`${directory}/${lost}`, rubbish)
  t.not((await check(disk)).length, 0, 'without the manifest it could be')
  await repair(disk)
  t.equal(storeText(await openIn(disk)), text)
})
