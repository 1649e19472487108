import t from 'tap'
import { LruMap } from '../src/lru-map.ts'

t.test('what was used longest ago is forgotten first', async t => {
  const map = new LruMap<string, number>(2)
  map.set('a', 1)
  map.set('b', 2)
  t.equal(map.get('a'), 1)
  map.set('c', 3)
  t.equal(map.get('b'), undefined)
  t.equal(map.get('a'), 1)
  t.equal(map.get('c'), 3)
  t.equal(map.size, 2)
})

t.test('a value set anew is new, and takes no more room', async t => {
  const map = new LruMap<string, number>(2)
  map.set('a', 1)
  map.set('b', 2)
  map.set('a', 3)
  map.set('c', 4)
  t.equal(map.get('a'), 3)
  t.equal(map.get('b'), undefined)
  map.delete('a')
  t.equal(map.get('a'), undefined)
  t.equal(map.size, 1)
})
