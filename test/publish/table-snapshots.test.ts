import t from 'tap'
import { parseName } from '../../src/dns/name.ts'
import { type FoundSnapshot, tablePlace } from '../../src/publish/table-file.ts'
import {
  findTableSnapshot,
  readTableSnapshot,
  TableSnapshots,
  type TableSnapshotsOptions,
} from '../../src/publish/table-snapshots.ts'
import type { TargetZones } from '../../src/zone/table/target-zones.ts'
import type { ZoneTable } from '../../src/zone/table/zone-table.ts'
import {
  allLost,
  namesLost,
  nothingLost,
  octetsLost,
  SimulatedDisk,
} from '../helpers/simulated-disk.ts'
import { openTable, tableZoneFromText } from '../helpers/zone-table.ts'

const reserveOctets = 2 ** 26
const soa = '3600 SOA ns1 hostmaster 1 7200 900 1209600 300'
const directory = '/srv/data'
const place = (files: SimulatedDisk) => tablePlace({ files, directory })

function largeZone(table: ZoneTable, name: string) {
  const hosts = Array.from({ length: 12_000 }, (_, i) => `h${i}.${name} 60 A 192.0.2.${i % 250}`)
  return tableZoneFromText(table, `${name} ${soa}\n${hosts.join('\n')}`)
}

/** A table in which commits change something, and its snapshots. */
class Served {
  readonly disk: SimulatedDisk
  readonly table: ZoneTable
  readonly zones: TargetZones
  readonly snapshots: TableSnapshots
  readonly failures: unknown[] = []
  readonly store = { lastLsn: 0, loggedOctets: () => this.store.lastLsn * 1000 }
  isReady = true

  constructor(disk: SimulatedDisk, found?: { head: FoundSnapshot; table: ZoneTable }) {
    this.disk = disk
    this.table = found?.table ?? openTable({ reserveOctets })
    this.zones = found ? this.table.target(found.head.targets.all ?? 0) : this.table.addTarget()
    this.store.lastLsn = found?.head.lsn ?? 0
    const options: TableSnapshotsOptions = {
      place: place(disk),
      table: this.table,
      found: found?.head,
      store: this.store,
      atCommit: work => {
        const targets = { all: this.zones.ref }
        const unsettled = { zoneIds: ['one'], problems: [] }
        const head = { lsn: this.store.lastLsn, atMicros: 7, targets, unsettled }
        work(this.isReady ? head : undefined)
      },
      onFailed: error => this.failures.push(error),
    }
    this.snapshots = new TableSnapshots(options)
  }

  publish(name: string): void {
    this.zones.publish(largeZone(this.table, name))
    this.store.lastLsn += 1
  }

  withdraw(name: string): void {
    this.zones.withdraw(parseName(name))
    this.store.lastLsn += 1
  }

  /** The apexes and the sizes of what is served. */
  get sizes(): readonly string[] {
    return Array.from(this.zones, ({ apex, rrsetCount }) => `${apex.length} ${rrsetCount}`).sort()
  }
}

/** What another process finds. */
async function next(disk: SimulatedDisk): Promise<Served | undefined> {
  const head = await findTableSnapshot(place(disk))
  const memory = new SharedArrayBuffer(reserveOctets)
  const table = head && (await readTableSnapshot(place(disk), head, memory))
  return head && table && new Served(disk, { head, table })
}

t.test(
  'another process goes on from the last snapshot, and from those it writes itself',
  async t => {
    const disk = new SimulatedDisk()
    const first = new Served(disk)
    first.publish('one.example.')
    await first.snapshots.write()
    first.publish('three.example.')
    await first.snapshots.write()
    const expected = first.sizes
    first.publish('unwritten.example.')
    let served = await next(disk)
    t.same(served?.sizes, expected)
    t.equal(served?.store.lastLsn, 2)
    for (const name of ['one.example.', 'three.example.']) {
      served?.withdraw(name)
      await served?.snapshots.close()
      const after = await next(disk)
      t.same(after?.sizes, served?.sizes)
      served = after
    }
    t.same(first.failures, [])
  },
)

t.test(
  'pages that have not changed are not written again, and what is superfluous goes',
  async t => {
    const disk = new SimulatedDisk()
    const served = new Served(disk)
    served.publish('one.example.')
    await served.snapshots.write()
    const whole = await disk.size(`${directory}/table/1.pages`)
    await served.snapshots.write()
    t.equal(await disk.size(`${directory}/table/1.pages`), whole, 'nothing has changed')
    served.store.lastLsn += 1
    await served.snapshots.write()
    t.ok((await disk.size(`${directory}/table/1.pages`)) < whole * 1.5)
    for (let i = 0; i < 16; i += 1) {
      served.table.written.markAll()
      served.store.lastLsn += 1
      await served.snapshots.write()
    }
    const files = disk.paths.filter(path => path.endsWith('.pages'))
    t.equal(files.length, 1)
    t.not(files[0], `${directory}/table/1.pages`)
    t.same((await next(disk))?.sizes, served.sizes)
  },
)

t.test(
  'pages that are written to faster than they are copied are left to a later snapshot',
  async t => {
    const disk = new SimulatedDisk()
    const served = new Served(disk)
    for (let i = 0; i < 10; i += 1) served.publish(`z${i}.example.`)
    disk.before = () => served.table.written.markAll()
    await served.snapshots.write()
    disk.before = () => undefined
    t.equal(await next(disk), undefined)
    const once = served.table.usage.touchedOctets
    t.ok(
      (await disk.size(`${directory}/table/1.pages`)) < 1.5 * once,
      'they are not copied again and again',
    )
    await served.snapshots.write()
    t.same((await next(disk))?.sizes, served.sizes)
    t.same(served.failures, [])
  },
)

t.test('a loss of power leaves this snapshot or the one before', async t => {
  for (const loss of [allLost, namesLost, octetsLost, nothingLost]) {
    const disk = new SimulatedDisk()
    const pictures: SimulatedDisk[] = []
    const served = new Served(disk)
    served.publish('one.example.')
    await served.snapshots.write()
    const before = served.sizes
    served.publish('three.example.')
    disk.before = () => void pictures.push(disk.after(loss))
    await served.snapshots.write()
    disk.before = () => undefined
    t.ok(pictures.length > 4)
    for (const picture of [...pictures, disk.after(loss)]) {
      const found = await next(picture)
      const expected = found?.store.lastLsn === 2 ? served.sizes : before
      t.same(found?.sizes, expected)
    }
    t.equal((await next(disk.after(loss)))?.store.lastLsn, 2)
  }
})

t.test('a snapshot that is damaged, or of another version, is none', async t => {
  const disk = new SimulatedDisk()
  const served = new Served(disk)
  served.publish('one.example.')
  await served.snapshots.close()
  for (const name of ['snapshot', '1.pages']) {
    const path = `${directory}/table/${name}`
    const octets = (await disk.read(path)) ?? Buffer.alloc(0)
    for (const at of [20, octets.length >> 1, octets.length - 1]) {
      const damaged = Buffer.from(octets)
      damaged[at] = (damaged[at] ?? 0) ^ 1
      const copy = disk.after(nothingLost)
      const file = await copy.create(path)
      await file.append(damaged)
      t.equal(await next(copy), undefined, `${name} at ${at}`)
    }
    const copy = disk.after(nothingLost)
    await copy.remove(path)
    t.equal(await next(copy), undefined, `no ${name}`)
  }
})

t.test('what fails is reported, and the next snapshot is whole', async t => {
  const disk = new SimulatedDisk()
  const served = new Served(disk)
  served.publish('one.example.')
  disk.before = ({ kind }) => {
    if (kind === 'sync') throw new Error('the disk is broken')
  }
  await served.snapshots.write()
  t.match(served.failures, [{ message: /could not be synced|broken/ }])
  t.equal(served.snapshots.lsn, undefined)
  await served.snapshots.writeIfDue()
  t.equal(served.failures.length, 1, 'it is not tried again at once')
  disk.before = () => undefined
  await served.snapshots.write()
  t.same((await next(disk))?.sizes, served.sizes)
})

t.test('a snapshot waits until pools are where they belong', async t => {
  const served = new Served(new SimulatedDisk())
  served.publish('one.example.')
  served.isReady = false
  await served.snapshots.write()
  t.equal(served.snapshots.lsn, undefined)
  served.isReady = true
  await served.snapshots.write()
  t.equal(served.snapshots.lsn, 1)
})

t.test(
  'between checkpoints a snapshot is written where it is little for what it spares',
  async t => {
    const served = new Served(new SimulatedDisk())
    served.publish('one.example.')
    await served.snapshots.writeIfDue()
    t.equal(served.snapshots.lsn, 1, 'the first at once')
    served.store.lastLsn += 1
    await served.snapshots.writeIfDue()
    t.equal(served.snapshots.lsn, 1)
    served.store.lastLsn += 2000
    await served.snapshots.writeIfDue()
    t.equal(served.snapshots.lsn, 2002)
  },
)
