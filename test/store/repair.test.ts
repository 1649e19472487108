import t from 'tap'
import type { Recordset } from '../../src/model/recordset.ts'
import { writeDocument } from '../../src/store/document.ts'
import { checkStore, describeRepair, repairStore } from '../../src/store/repair.ts'
import type { Store } from '../../src/store/store.ts'
import { openIn } from '../helpers/crash-points.ts'
import { Dice } from '../helpers/dice.ts'
import { nothingLost, SimulatedDisk, someLost } from '../helpers/simulated-disk.ts'
import { storeText } from '../helpers/store-model.ts'
import { recordsetRow, uuidOf, zoneRow } from '../helpers/store-rows.ts'

const directory = '/srv/store'
const zoneIds = [uuidOf(900_001), uuidOf(900_002)] as const
const zonePath = (which: 0 | 1) =>
  `${directory}/zones/${zoneIds[which].slice(0, 2)}/${zoneIds[which]}`
const shardPath = (number: number) => `${zonePath(1)}.d/${String(number).padStart(6, '0')}.json`

const recordset = (number: number, which: 0 | 1, version = 1): Recordset =>
  recordsetRow({
    id: uuidOf(number),
    createdAt: 10 + number,
    version,
    zoneId: zoneIds[which],
    name: `host${number}.zone${which}.example.`,
  })

const project = { id: 'p', version: 1, createdAt: 1, updatedAt: null, name: 'p', description: '' }

/** A store of a small zone, a large one in four shards and a project, twice checkpointed, and five more commits
 *  that are in the journal only: 5 to 9, record sets 401 to 405 of the small zone. */
async function filled() {
  const disk = new SimulatedDisk()
  const store = await openIn(disk, { rowsPerShard: 20 })
  const put = (row: Recordset) => store.commit(tx => tx.put('recordsets', row))
  for (const version of [1, 2]) {
    await store.commit(tx => {
      for (const which of [0, 1] as const) {
        const name = `zone${which}.example.`
        tx.put('zones', zoneRow({ id: zoneIds[which], createdAt: 1 + which, name, version }))
      }
      tx.put('projects', { ...project, version, domainId: 'default', isEnabled: true })
      for (let i = 0; i < 80; i += 1) tx.put('recordsets', recordset(i, 1, version))
    })
    await put(recordset(400, 0, version))
    await store.checkpoint()
  }
  for (let i = 401; i <= 405; i += 1) await put(recordset(i, 0))
  return { disk, before: store }
}

const segmentPath = `${directory}/journal/0000000000000005.ndjson`

const names = (store: Store) =>
  zoneIds.flatMap(id => [...store.list('recordsets', 'byZone', id)].map(({ name }) => name))

const repair = (files: SimulatedDisk) => repairStore({ directory, files })
const check = (files: SimulatedDisk) => checkStore({ directory, files })

const rubbish = () => Buffer.from('rubbish')

/** Changes an octet of the line that holds a text. */
const spoil = (text: string) => (octets: Buffer) => {
  octets.write('X', octets.indexOf(text))
  return octets
}

t.test('a store that is sound, or was only interrupted, is not touched', async t => {
  const { disk, before } = await filled()
  disk.damage(segmentPath, octets => octets.subarray(0, -3))
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
  readonly report?: object
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

const cases: readonly Case[] = [
  {
    rule: 'a line of the journal: that change is given up and those behind it',
    damage: disk => disk.damage(segmentPath, spoil('host402.')),
    file: /journal.*ndjson/,
    lost: [402, 403, 404, 405],
    report: {
      givenUpChanges: [{ firstLsn: 6, lastLsn: 9 }],
      setAside: [`${segmentPath}.damaged`],
    },
  },
  {
    rule: 'the whole journal: what only it had is lost',
    damage: async disk => {
      for (const path of disk.paths) if (path.endsWith('.ndjson')) await disk.remove(path)
    },
    file: /journal/,
    lost: [401, 402, 403, 404, 405],
    report: { setAside: [] },
  },
  {
    rule: 'a shard: its record sets are lost',
    damage: async disk => {
      disk.damage(shardPath(2), rubbish)
      await disk.remove(`${shardPath(2)}.prev`)
    },
    file: /000002\.json/,
    lost: range(20, 40),
    report: { setAside: [`${shardPath(2)}.damaged`] },
  },
  {
    rule: 'the document of a large zone: the zone is lost, its shards are kept for people',
    damage: disk => {
      disk.damage(`${zonePath(1)}.json`, rubbish)
      disk.damage(`${zonePath(1)}.json.prev`, rubbish)
    },
    file: new RegExp(zoneIds[1]),
    lost: range(0, 80),
    report: {
      setAside: [
        `${zonePath(1)}.json.damaged`,
        `${zonePath(1)}.json.prev.damaged`,
        `${zonePath(1)}.d.damaged`,
      ],
    },
  },
  {
    rule: 'the document of a small zone: what the journal has of it is of no use without it',
    damage: async disk => {
      await disk.remove(`${zonePath(0)}.json`)
      await disk.remove(`${zonePath(0)}.json.prev`)
    },
    file: new RegExp(zoneIds[0]),
    lost: range(400, 406),
    report: { orphanCount: 5 },
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
    rule: 'the list of zones: nothing is lost',
    damage: async disk => {
      disk.damage(`${directory}/zones.json`, rubbish)
      await disk.remove(`${directory}/zones.json.prev`)
    },
    file: /zones\.json/,
    lost: [],
  },
  {
    rule: 'a document and the journal that would heal it: its older copy is used',
    damage: async disk => {
      disk.damage(`${zonePath(0)}.json`, rubbish)
      await disk.remove(`${directory}/journal/0000000000000003.ndjson`)
    },
    file: /0005\.ndjson/,
    lost: [],
    report: {
      agedDocuments: [`${zonePath(0)}.json`],
      givenUpChanges: [{ firstLsn: 3, lastLsn: 4 }],
    },
  },
]

for (const { rule, damage, file, lost, report = {} } of cases) {
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
    t.match(store.get('projects', 'p'), { version: 2 })
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

t.test('a lost small collection is empty afterwards, and the rest is there', async t => {
  const { disk, before } = await filled()
  disk.damage(`${directory}/system/projects.json`, rubbish)
  disk.damage(`${directory}/system/projects.json.prev`, rubbish)
  await repair(disk)
  const store = await openIn(disk)
  t.equal(store.get('projects', 'p'), undefined)
  t.same(names(store), names(before))
})

t.test('numbers and times go on behind those of lost changes', async t => {
  const { disk } = await filled()
  disk.damage(segmentPath, spoil('host402.'))
  await repair(disk)
  const store = await openIn(disk, { clock: { nowMillis: () => 0 } })
  const commits: { lsn: number; atMicros: number }[] = []
  store.setCommitListener(commit => void commits.push(commit))
  await store.commit(tx => tx.put('recordsets', recordset(500, 0)))
  t.equal(commits[0]?.lsn, 10)
  t.ok((commits[0]?.atMicros ?? 0) > 1_000_000_000_000_000)
})

t.test('two rows that claim one name: the later is left out', async t => {
  const disk = new SimulatedDisk()
  const store = await openIn(disk)
  await store.commit(tx => tx.put('zones', zoneRow()))
  await store.checkpoint()
  const copy = zoneRow({ id: uuidOf(5), createdAt: 2 })
  const path = `${directory}/zones/${copy.id.slice(0, 2)}/${copy.id}.json`
  await writeDocument(disk, path, { _lsn: 1, zone: copy, shards: [], recordsets: [] } as never)
  await t.rejects(openIn(disk), { name: 'DamageError', message: /has the same byName as/ })
  await repair(disk)
  const repaired = await openIn(disk)
  t.equal(repaired.get('zones', copy.id), undefined)
  t.ok(repaired.get('zones', zoneRow().id))
})

t.test('the damaged files are kept as they were', async t => {
  const { disk } = await filled()
  disk.damage(`${zonePath(0)}.json`, rubbish)
  disk.damage(`${zonePath(0)}.json.prev`, rubbish)
  await repair(disk)
  t.same(await disk.read(`${zonePath(0)}.json.damaged`), rubbish())
})

t.test('another version, and a directory without a store, are left alone', async t => {
  const { disk } = await filled()
  const manifest = { _lsn: 0, format: 3 } as never
  await writeDocument(disk, `${directory}/manifest.json`, manifest)
  await t.rejects(repair(disk), { name: 'DamageError', message: /format 3/ })
  const empty = new SimulatedDisk()
  await t.rejects(repair(empty), { name: 'DamageError', message: /no store/ })
  t.same(empty.paths, [])
})

t.test('a repair that is interrupted anywhere can be run again', async t => {
  const dice = new Dice(1)
  const { disk: damaged } = await filled()
  damaged.damage(shardPath(2), rubbish)
  await damaged.remove(`${shardPath(2)}.prev`)
  damaged.damage(segmentPath, spoil('host402.'))
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
      const isNew = (row: string) => !versions.has(row) && !row.includes('"version",1')
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
  disk.damage(`${directory}/journal/0000000000000001.ndjson`, rubbish)
  const text = storeText(store)
  t.same(await check(disk), [], 'it is not needed')
  for (const lost of ['manifest.json', 'manifest.json.prev'])
    disk.damage(`${directory}/${lost}`, rubbish)
  t.not((await check(disk)).length, 0, 'without the manifest it could be')
  await repair(disk)
  t.equal(storeText(await openIn(disk)), text)
})
