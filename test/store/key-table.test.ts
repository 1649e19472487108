import fc from 'fast-check'
import t from 'tap'
import { KeyTable } from '../../src/store/key-table.ts'

type Entry = { readonly key: string; readonly value: number }

const newTable = () => new KeyTable<Entry>(({ key }) => key)

t.test('an entry is found by its key until it is deleted', async t => {
  const table = newTable()
  t.equal(table.get('a'), undefined)
  t.equal(table.delete('a'), false)
  const entry = { key: 'a', value: 1 }
  table.set('a', entry)
  t.equal(table.get('a'), entry)
  t.equal(table.get('b'), undefined)
  t.equal(table.delete('b'), false)
  t.equal(table.delete('a'), true)
  t.equal(table.get('a'), undefined)
  t.equal(table.size, 0)
})

t.test('a second entry with the same key takes the place of the first', async t => {
  const table = newTable()
  table.set('a', { key: 'a', value: 1 })
  table.set('a', { key: 'a', value: 2 })
  t.equal(table.get('a')?.value, 2)
  t.equal(table.size, 1)
})

t.test('an entry is added only where its key is free', async t => {
  const table = newTable()
  const entry = { key: 'a', value: 1 }
  t.equal(table.add('a', entry), undefined)
  t.equal(table.add('a', { key: 'a', value: 2 }), entry)
  t.equal(table.get('a'), entry)
  t.equal(table.size, 1)
})

t.test('keys of any length and any characters are told apart', async t => {
  const keys = ['', '\0', '\0\0', 'a\nb', 'a\n', 'é', '\u{1f600}', 'x'.repeat(1000)]
  const table = newTable()
  keys.forEach((key, value) => {
    table.set(key, { key, value })
  })
  t.same(
    keys.map(key => table.get(key)?.value),
    keys.map((_, value) => value),
  )
})

t.test('all entries are there after the buckets have split many times', async t => {
  const table = newTable()
  const count = 100_000
  for (let value = 0; value < count; value += 1) table.set(`k${value}`, { key: `k${value}`, value })
  t.equal(table.size, count)
  const values = [...table.values()].map(({ value }) => value).sort((a, b) => a - b)
  t.ok(values.length === count && values.every((value, i) => value === i), 'each is walked once')
  for (let value = 0; value < count; value += 2) table.delete(`k${value}`)
  let missing = 0
  for (let value = 0; value < count; value += 1) {
    const isThere = table.get(`k${value}`)?.value === value
    if (isThere !== (value % 2 === 1)) missing += 1
  }
  t.equal(missing, 0)
  t.equal(table.size, count / 2)
})

t.test('the table does what a Map does', async t => {
  const step = fc.record({ key: fc.integer({ min: 0, max: 300 }), isPut: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 2000, size: 'max' }), steps => {
      const table = newTable()
      const map = new Map<string, Entry>()
      for (const [value, { key: number, isPut }] of steps.entries()) {
        const key = `host${number}.example.`
        if (isPut) {
          table.set(key, { key, value })
          map.set(key, { key, value })
        } else if (table.delete(key) !== map.delete(key)) return false
      }
      const entries = [...table.values()]
      return (
        entries.length === map.size &&
        table.size === map.size &&
        entries.every(({ key, value }) => map.get(key)?.value === value) &&
        [...map].every(([key, { value }]) => table.get(key)?.value === value)
      )
    }),
  )
  t.pass()
})
