import t from 'tap'
import { type Name, parseName } from '../../src/dns/name.ts'
import { NameMap } from '../../src/zone/name-map.ts'

t.test('it holds what a Map would hold', async t => {
  const map = new NameMap<number>()
  const wanted = new Map<Name, number>()
  for (let i = 0; i < 5000; i += 1) {
    const name = parseName(`host-${i % 3000}.example.`)
    map.set(name, i)
    wanted.set(name, i)
  }
  for (const [name, value] of wanted) if (map.get(name) !== value) t.fail(name)
  t.strictSame([...map.values()].sort(), [...wanted.values()].sort())
  t.equal(map.get(parseName('host-7.example.')), 3007)
  t.equal(map.get(parseName('host-7.example.test.')), undefined)
})
