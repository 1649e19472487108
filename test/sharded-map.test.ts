import { randomUUID } from 'node:crypto'
import t from 'tap'
import { ShardedMap } from '../src/sharded-map.ts'

const count = 6400

t.test('it has what was set and not deleted, last value first', async t => {
  const map = new ShardedMap<number>()
  t.same([map.get('a'), map.has('a'), map.keys(), map.values()], [undefined, false, [], []])
  map.set('a', 1)
  map.set('', 2)
  map.set('a', 3)
  map.delete('')
  t.same(
    [map.get('a'), map.has('a'), map.has(''), map.keys(), map.values()],
    [3, true, false, ['a'], [3]],
  )
})

for (const [what, keyOf] of [
  ['ids', (id: string) => id],
  [
    'long texts with an id in them',
    (id: string) => JSON.stringify({ metric: 'hours', id, pool: 'default'.repeat(20) }),
  ],
] as const) {
  t.test(`no shard has far more of ${what} than others`, async t => {
    const map = new ShardedMap<true>()
    const keys = Array.from({ length: count }, () => keyOf(randomUUID()))
    for (const key of keys) map.set(key, true)
    t.equal(map.keys().length, count)
    t.ok(keys.every(key => map.shardOf(key).size < count / 16))
  })
}
