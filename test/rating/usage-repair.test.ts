import t from 'tap'
import type { Mended } from '../../src/durable/damage.ts'
import { partsOf } from '../../src/durable/log-segment.ts'
import { Account } from '../../src/rating/metering/account.ts'
import { UsageJournal } from '../../src/rating/metering/usage-journal.ts'
import { allTime } from '../../src/rating/period.ts'
import { PointStore } from '../../src/rating/segments/point-store.ts'
import { checkUsage, repairUsage, usageFolders } from '../../src/rating/usage-repair.ts'
import { ownerOf } from '../helpers/metered-zones.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'
import { storedTexts, usage } from '../helpers/usage.ts'

const directory = '/data'
const place = (files: SimulatedDisk) => ({ files, directory })
const pointsFolder = `${directory}/${usageFolders.points}`
const meterFolder = `${directory}/${usageFolders.meter}`

/** Usage of six hours: two segments of months, a log with three batches, hours, and a meter's log. */
async function filled(): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk()
  for (const name of [usageFolders.points, usageFolders.hours]) {
    const store = await PointStore.open(`${directory}/${name}`, { files: disk })
    for (const hour of ['2026-09-30T23', '2026-10-01T00']) await write(store, hour)
    await store.flush()
    for (const hour of ['2026-10-01T01', '2026-10-01T02', '2026-10-01T03']) await write(store, hour)
    await store.close()
  }
  const { journal } = await UsageJournal.open(disk, meterFolder)
  const account = Account.open(ownerOf('a'), 360_000_000, 3)
  await journal.begin({ atMillis: 1, firstHour: 100 }, [account])
  await journal.append({ atMillis: 2, firstHour: 100 }, [account])
  await journal.append({ atMillis: 3, firstHour: 100 }, [account])
  await journal.close()
  return disk
}

async function write(store: PointStore, hour: string): Promise<void> {
  await store.write({ origin: 'dns', points: [usage(hour, 'p1', '1')] })
}

async function countPoints(disk: SimulatedDisk): Promise<number> {
  const store = await PointStore.open(pointsFolder, { files: disk })
  const { length } = await storedTexts(store, allTime)
  await store.close()
  return length
}

const flip = (at: number) => (octets: Buffer) => {
  octets.writeUInt8(octets.readUInt8(at) ^ 1, at)
  return octets
}

t.test('torn ends of logs are no defects: the next start cuts them off', async t => {
  const disk = await filled()
  const logs = disk.paths.filter(path => path.endsWith('.log'))
  for (const path of logs) disk.damage(path, octets => Buffer.concat([octets, Buffer.from('torn')]))
  const mended: Mended[] = []
  t.same(await checkUsage(place(disk), each => mended.push(each)), [])
  t.same(mended.map(({ file }) => file).sort(), logs)
})

t.test('sound files have no defects, and a repair leaves them as they are', async t => {
  const disk = await filled()
  const { changeCount } = disk
  t.same(await checkUsage(place(disk)), [])
  t.same(await repairUsage(place(disk)), { defects: [], setAside: [] })
  t.same(await repairUsage(place(new SimulatedDisk())), { defects: [], setAside: [] })
  t.equal(disk.changeCount, changeCount)
})

t.test('a file that is damaged is named, given up, kept, and the rest is there', async t => {
  for (const path of (await filled()).paths) {
    const disk = await filled()
    disk.damage(path, flip(20))
    const [defect, ...others] = await checkUsage(place(disk))
    t.match(defect, { file: path }, path)
    t.same(others, [])
    const { setAside } = await repairUsage(place(disk))
    t.equal(setAside.length, 1)
    t.ok(
      disk.paths.some(each => each.startsWith(setAside[0] ?? '?')),
      'it is kept for people',
    )
    t.same(await checkUsage(place(disk)), [])
    const expected = !path.startsWith(pointsFolder) ? 5 : path.endsWith('.json') ? 0 : 4
    t.equal(await countPoints(disk), expected, path)
    const found = await countPoints(disk.afterPowerFailure(1))
    t.equal(found, expected, 'that outlasts a loss of power')
    t.ok(
      disk.paths.some(each => each.startsWith(setAside[0] ?? '?')),
      'a start leaves it',
    )
  }
})

t.test('a file that is missing is named, and the rest is there', async t => {
  for (const path of (await filled()).paths) {
    // The last segment of the meter is the only one; without it there was nothing.
    if (path.startsWith(meterFolder)) continue
    const disk = await filled()
    await disk.remove(path)
    await disk.syncDirectory(path.slice(0, path.lastIndexOf('/')))
    t.match(await checkUsage(place(disk)), [{ file: path }], path)
    await repairUsage(place(disk))
    t.same(await checkUsage(place(disk)), [])
    await countPoints(disk)
  }
})

t.test('a segment in the place of another is named, and not read', async t => {
  const disk = await filled()
  const [first = '', second = ''] = disk.paths.filter(
    each => each.startsWith(pointsFolder) && each.endsWith('.segment'),
  )
  const octets = (await disk.read(first)) ?? Buffer.alloc(0)
  disk.damage(second, () => octets)
  await t.rejects(countPoints(disk), { name: 'DamageError', file: second, message: /another file/ })
  t.match(await checkUsage(place(disk)), [{ file: second }])
  t.match(await repairUsage(place(disk)), { setAside: [`${second}.damaged`] })
  t.equal(await countPoints(disk), 4)
})

t.test('a file that the disk cannot read any more is named, and given up', async t => {
  for (const path of (await filled()).paths) {
    const disk = await filled()
    disk.makeUnreadable(path)
    t.match(await checkUsage(place(disk)), [{ file: path, problem: /^it cannot be read .*EIO/ }])
    t.match(await repairUsage(place(disk)), { setAside: { length: 1 } })
    t.same(await checkUsage(place(disk)), [])
  }
})

t.test('a second copy of a part of a log is named, and set aside', async t => {
  for (const path of (await filled()).paths.filter(each => each.endsWith('.log'))) {
    for (const later of [1, 500]) {
      const disk = await filled()
      const copy = path.replace(/\d+(?=\.log)/, digits =>
        `${Number(digits) + later}`.padStart(16, '0'),
      )
      const file = await disk.create(copy)
      await file.append((await disk.read(path)) ?? Buffer.alloc(0))
      await file.close()
      t.match(await checkUsage(place(disk)), [{ file: copy }], copy)
      t.match(await repairUsage(place(disk)), { setAside: [`${copy}.damaged`] })
      t.same(await checkUsage(place(disk)), [])
      t.equal(await countPoints(disk), 5)
    }
  }
})

t.test('of the meter, what came before the damage is there', async t => {
  const disk = await filled()
  const [path = ''] = disk.paths.filter(each => each.startsWith(meterFolder))
  // The third record is behind it.
  const [, second] = partsOf((await disk.read(path)) ?? Buffer.alloc(0))
  disk.damage(path, flip((second?.at ?? 0) + 20))
  t.match(await checkUsage(place(disk)), [{ file: path, problem: /^it is damaged, at octet/ }])
  await repairUsage(place(disk))
  const { recovered } = await UsageJournal.open(disk, meterFolder)
  t.match(recovered, { atMillis: 1, accounts: [{ owner: { zoneId: 'a' } }] })
})

t.test('a repair that is interrupted anywhere can be run again', async t => {
  for (const kind of ['.segment', '.log', 'manifest.json']) {
    for (let failsAt = 1; failsAt < 12; failsAt += 1) {
      const disk = await filled()
      const [path = ''] = disk.paths.filter(
        each => each.startsWith(pointsFolder) && each.endsWith(kind),
      )
      disk.damage(path, flip(20))
      disk.failsAt = disk.changeCount + failsAt
      await repairUsage(place(disk)).catch(() => undefined)
      const found = disk.afterPowerFailure(failsAt)
      await repairUsage(place(found))
      t.same(await checkUsage(place(found)), [], `${kind}, change ${failsAt}`)
      t.equal(await countPoints(found), kind === 'manifest.json' ? 0 : 4)
    }
  }
})

t.test('files of a later version are not given up', async t => {
  const disk = await filled()
  const manifest = `${pointsFolder}/manifest.json`
  const { checksum } = await import('../../src/durable/checksum.ts')
  disk.damage(manifest, octets => {
    const text = octets.toString().split('\n')[1]?.replace('"format":1', '"format":2') ?? ''
    return Buffer.from(`${checksum(text)}\n${text}\n`)
  })
  await t.rejects(repairUsage(place(disk)), { message: /format 2.*Start the version/ })
})
