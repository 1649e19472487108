import fc from 'fast-check'
import t from 'tap'
import { KeyTable } from '../../src/store/key-table.ts'

/** A table whose entries stand in a list with their keys. */
function newTable() {
  const keys: string[] = ['']
  return { table: new KeyTable(entry => keys[entry]), entryOf: (key: string) => keys.push(key) - 1 }
}

t.test('an entry is found by its key until it is deleted', async t => {
  const { table, entryOf } = newTable()
  t.equal(table.get('a'), undefined)
  t.equal(table.delete('a'), false)
  const entry = entryOf('a')
  table.set('a', entry)
  t.equal(table.get('a'), entry)
  t.equal(table.get('b'), undefined)
  t.equal(table.delete('b'), false)
  t.equal(table.delete('a'), true)
  t.equal(table.get('a'), undefined)
  t.equal(table.size, 0)
})

t.test('a second entry with the same key takes the place of the first', async t => {
  const { table, entryOf } = newTable()
  table.set('a', entryOf('a'))
  const second = entryOf('a')
  table.set('a', second)
  t.equal(table.get('a'), second)
  t.equal(table.size, 1)
})

t.test('an entry is added only where its key is free', async t => {
  const { table, entryOf } = newTable()
  const entry = entryOf('a')
  t.equal(table.add('a', entry), undefined)
  t.equal(table.add('a', entryOf('a')), entry)
  t.equal(table.get('a'), entry)
  t.equal(table.size, 1)
})

t.test('an entry may be a negative number', async t => {
  const table = new KeyTable(entry => (entry < 0 ? 'a' : 'b'))
  table.set('a', -(2 ** 31))
  table.set('b', 2 ** 31 - 1)
  t.equal(table.get('a'), -(2 ** 31))
  t.equal(table.get('b'), 2 ** 31 - 1)
})

t.test('keys of any length and any characters are distinguished', async t => {
  const keys = ['', '\0', '\0\0', 'a\nb', 'a\n', 'é', '\u{1f600}', 'x'.repeat(1000)]
  const { table, entryOf } = newTable()
  const entries = keys.map(entryOf)
  keys.forEach((key, i) => {
    table.set(key, entries[i] ?? 0)
  })
  t.same(
    keys.map(key => table.get(key)),
    entries,
  )
})

t.test('all entries are there after the buckets have split many times', async t => {
  const table = new KeyTable(entry => `k${entry}`)
  const count = 100_000
  for (let entry = 1; entry <= count; entry += 1) table.set(`k${entry}`, entry)
  t.equal(table.size, count)
  const entries = [...table.values()].sort((a, b) => a - b)
  t.ok(
    entries.length === count && entries.every((entry, i) => entry === i + 1),
    'each is walked once',
  )
  for (let entry = 2; entry <= count; entry += 2) table.delete(`k${entry}`)
  let missing = 0
  for (let entry = 1; entry <= count; entry += 1) {
    const isThere = table.get(`k${entry}`) === entry
    if (isThere !== (entry % 2 === 1)) missing += 1
  }
  t.equal(missing, 0)
  t.equal(table.size, count / 2)
})

t.test('the table does what a Map does', async t => {
  const step = fc.record({ number: fc.integer({ min: 0, max: 2000 }), isPut: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 5000, size: 'max' }), steps => {
      const { table, entryOf } = newTable()
      const map = new Map<string, number>()
      for (const { number, isPut } of steps) {
        const key = `host${number}.example.`
        if (isPut) {
          const entry = entryOf(key)
          table.set(key, entry)
          map.set(key, entry)
        } else if (table.delete(key) !== map.delete(key)) return false
      }
      const entries = new Set(table.values())
      return (
        entries.size === map.size &&
        table.size === map.size &&
        [...map].every(([key, entry]) => entries.has(entry) && table.get(key) === entry)
      )
    }),
    { numRuns: 50 },
  )
  t.pass()
})
