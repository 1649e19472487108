import t from 'tap'
import type { Place } from '../../src/store/ordered-rows.ts'
import { planShards, ShardNumbers } from '../../src/store/shard-plan.ts'
import { Tables } from '../../src/store/tables.ts'
import { type Shard, ZoneShards } from '../../src/store/zone-shards.ts'
import { TimeSlice } from '../../src/time-slice.ts'
import { recordsetRow, testZoneId, uuidOf } from '../helpers/store-rows.ts'

const rowsPerShard = 10

/** A zone of record sets made at 1, 2, … `count`. */
class Plan {
  readonly tables = new Tables()
  readonly numbers = new ShardNumbers()
  current: ZoneShards | undefined

  grow(from: number, to: number): void {
    for (let i = from; i <= to; i += 1) {
      const row = recordsetRow({ id: uuidOf(i), createdAt: i, name: `host${i}.example.com.` })
      this.tables.table('recordsets').put(row)
      const shard = this.current?.shardOf(row)
      if (shard !== undefined) shard.isDirty = true
    }
  }

  shrink(from: number, to: number): void {
    for (let i = from; i <= to; i += 1) this.tables.table('recordsets').delete(uuidOf(i))
  }

  /** Plans, and takes every shard as written. */
  async run(): Promise<ZoneShards | undefined> {
    const { tables, numbers, current } = this
    const slice = new TimeSlice()
    const options = { tables, zoneId: testZoneId, current, rowsPerShard, numbers, slice }
    this.current = await planShards(options)
    return this.current
  }

  written(): void {
    for (const shard of this.current?.shards ?? []) shard.isDirty = false
  }
}

const starts = (shards: ZoneShards | undefined) =>
  shards?.shards.map(({ after }) => after?.createdAt ?? null)

const dirtyNumbers = (shards: ZoneShards | undefined) =>
  shards?.shards.filter(({ isDirty }) => isDirty).map(({ number }) => number)

t.test('a zone is one document up to twice the size of a shard', async t => {
  const plan = new Plan()
  plan.grow(1, 20)
  t.equal(await plan.run(), undefined)
  plan.grow(21, 21)
  t.same(starts(await plan.run()), [null, 10, 20])
})

t.test('what is added at the end touches no shard but the last', async t => {
  const plan = new Plan()
  plan.grow(1, 40)
  await plan.run()
  plan.written()
  const before = plan.current
  plan.grow(41, 45)
  t.equal(await plan.run(), before)
  t.same(dirtyNumbers(plan.current), [4])
  plan.written()
  plan.grow(46, 75)
  t.same(starts(await plan.run()), [null, 10, 20, 30, 40, 50, 60, 70])
  t.same(dirtyNumbers(plan.current), [5, 6, 7, 8, 9], 'the fourth is replaced, not made shorter')
})

t.test('a shard that shrinks stays; all become fewer when most are nearly empty', async t => {
  const plan = new Plan()
  plan.grow(1, 100)
  const before = await plan.run()
  plan.shrink(1, 60)
  t.equal(await plan.run(), before)
  plan.shrink(61, 80)
  t.same(starts(await plan.run()), [null, 90])
  t.notOk(
    plan.current?.shards.some(({ number }) => number <= 10),
    'no number is used twice',
  )
})

t.test('a zone is one document again only when half a shard would hold it', async t => {
  const plan = new Plan()
  plan.grow(1, 21)
  await plan.run()
  plan.shrink(1, 16)
  t.ok(await plan.run())
  plan.shrink(17, 17)
  t.equal(await plan.run(), undefined)
})

t.test('every place is in the shard whose stretch it is in', async t => {
  const place = (createdAt: number, id = ''): Place => ({ createdAt, id })
  const shard = (number: number, after: Place | null): Shard => ({ number, after, isDirty: false })
  const shards = new ZoneShards([shard(1, null), shard(2, place(5, 'm')), shard(3, place(9))])
  const rows: [Place, number][] = [
    [place(0), 1],
    [place(5, 'm'), 1],
    [place(5, 'n'), 2],
    [place(9), 2],
    [place(9, 'a'), 3],
    [place(99), 3],
  ]
  for (const [at, number] of rows) t.equal(shards.shardOf(at)?.number, number)
})
