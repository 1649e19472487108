import fc from 'fast-check'
import t from 'tap'
import {
  changedMark,
  markedRecords,
  marksOfFirst,
  recordNumberCount,
  withoutRecord,
  withRecord,
  withRecords,
  withReplacedRecord,
} from '../../src/model/record-marks.ts'
import type { Recordset } from '../../src/model/recordset.ts'

function recordsetOf(...records: readonly string[]): Recordset {
  return {
    id: '0e8c3a52-9f4d-4b6e-8a3f-000000000001',
    version: 3,
    createdAt: 10,
    updatedAt: 20,
    zoneId: 'zone',
    name: 'www.example.',
    type: 'A',
    ttlSeconds: null,
    description: null,
    records,
    isManaged: false,
  }
}

/** Value and number of each record. */
function told(recordset: Recordset): readonly string[] {
  return markedRecords(recordset).map(({ value, mark }) => `${value} ${mark.number}`)
}

function replaced(before: Recordset, records: readonly string[], atMicros = 30): Recordset {
  return { ...before, ...withRecords(before, records, atMicros) }
}

t.test('without marks values are numbered as they stand, and as old as their set', async t => {
  t.same(markedRecords(recordsetOf('192.0.2.1', '192.0.2.2')), [
    { value: '192.0.2.1', mark: { number: 0, version: 3, createdAt: 10, updatedAt: 20 } },
    { value: '192.0.2.2', mark: { number: 1, version: 3, createdAt: 10, updatedAt: 20 } },
  ])
})

t.test('values given all together', async t => {
  const [a, b, c, d] = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']
  const before = recordsetOf(a, b)
  const rows: readonly [says: string, records: readonly string[], is: readonly string[]][] = [
    ['the same', [a, b], [`${a} 0`, `${b} 1`]],
    ['another order', [b, a], [`${b} 1`, `${a} 0`]],
    ['one for one', [a, c], [`${a} 0`, `${c} 1`]],
    ['one for one, in another order', [c, a], [`${c} 1`, `${a} 0`]],
    ['one more', [a, c, b], [`${a} 0`, `${c} 2`, `${b} 1`]],
    ['one less', [b], [`${b} 1`]],
    ['two for two are new', [c, d], [`${c} 2`, `${d} 3`]],
    ['two for one are new', [a, c, d], [`${a} 0`, `${c} 2`, `${d} 3`]],
    ['none', [], []],
  ]
  for (const [says, records, is] of rows) t.same(told(replaced(before, records)), is, says)
})

t.test('what says no more than the set does is not stored', async t => {
  const before = recordsetOf('192.0.2.1', '192.0.2.2')
  t.same(withRecords(before, ['192.0.2.1', '192.0.2.9'], 30), {
    records: ['192.0.2.1', '192.0.2.9'],
  })
  t.same(withRecords(recordsetOf('192.0.2.1'), ['192.0.2.9'], 30), { records: ['192.0.2.9'] })
  t.ok(withRecords(before, ['192.0.2.1'], 30).recordMarks, 'a number that must not be given again')
  t.ok(withRecords(recordsetOf('192.0.2.1'), [], 30).recordMarks, 'also when nothing is left')
})

t.test('another spelling is the same record', async t => {
  const before = { ...recordsetOf('10 mail.example.', '20 mail.example.'), type: 'MX' }
  const after = replaced(before, ['20 MAIL.example.', '10 mail.example.'])
  t.same(told(after), ['20 MAIL.example. 1', '10 mail.example. 0'])
})

t.test('times and versions are each record’s own once there are marks', async t => {
  const before = recordsetOf('192.0.2.1', '192.0.2.2')
  const grown = { ...before, ...withRecord(before, { value: '192.0.2.3', known: {} }, 30) }
  const after = replaced(
    { ...grown, version: 9, updatedAt: 40 },
    ['192.0.2.1', '192.0.2.9', '192.0.2.3'],
    50,
  )
  t.same(
    markedRecords(after).map(({ mark }) => mark),
    [
      { number: 0, version: 3, createdAt: 10, updatedAt: 20 },
      { number: 1, version: 4, createdAt: 10, updatedAt: 50 },
      { number: 2, version: 1, createdAt: 30, updatedAt: null },
    ],
  )
})

t.test(
  'a description goes with its record; how a value was given only with that value',
  async t => {
    const before = {
      ...recordsetOf('"a b"'),
      type: 'TXT',
      recordMarks: marksOfFirst({ description: 'mine', data: 'a b' }, 10),
    }
    const sole = (recordset: Recordset) => markedRecords(recordset)[0]?.mark
    t.match(sole(replaced(before, ['"a b"'])), { description: 'mine', data: 'a b', version: 1 })
    t.same(sole(replaced(before, ['"c d"'], 50)), {
      number: 0,
      description: 'mine',
      version: 2,
      createdAt: 10,
      updatedAt: 50,
    })
    t.notOk(sole(replaced(before, ['"a" " b"']))?.data, 'two strings are another value')
    const mark = changedMark(marksOfFirst({ description: 'mine' }, 10).ofValues[0]!, {}, 60)
    t.same(mark, { number: 0, version: 2, createdAt: 10, updatedAt: 60 })
  },
)

t.test('single records are put, replaced and taken at their place', async t => {
  const before = recordsetOf('192.0.2.1', '192.0.2.2')
  const without = { ...before, ...withoutRecord(before, 0) }
  t.same(told(without), ['192.0.2.2 1'])
  const grown = { ...without, ...withRecord(without, { value: '192.0.2.1', known: {} }, 30) }
  t.same(told(grown), ['192.0.2.2 1', '192.0.2.1 2'], 'a number is not given again')
  const { mark } = markedRecords(grown)[1]!
  const moved = { ...mark, id: 'from elsewhere' }
  const last = { ...grown, ...withReplacedRecord(grown, 1, { value: '192.0.2.5', mark: moved }) }
  t.same(told(last), ['192.0.2.2 1', '192.0.2.5 2'])
  t.equal(markedRecords(last)[1]?.mark.id, 'from elsewhere')
})

t.test('when all numbers have been given those that are free are given again', async t => {
  const before = {
    ...recordsetOf('192.0.2.1'),
    recordMarks: { ...marksOfFirst({}, 10), nextNumber: recordNumberCount },
  }
  t.same(told(replaced(before, ['192.0.2.1', '192.0.2.2', '192.0.2.3'])), [
    '192.0.2.1 0',
    '192.0.2.2 1',
    '192.0.2.3 2',
  ])
})

t.test('a value that stays keeps its number, and none is given twice', async t => {
  const values = fc.uniqueArray(
    fc.integer({ min: 1, max: 9 }).map(n => `192.0.2.${n}`),
    { maxLength: 6 },
  )
  const property = fc.property(values, fc.array(values, { maxLength: 8 }), (first, edits) => {
    let recordset = recordsetOf(...first)
    const gone = new Set<number>()
    return edits.every(records => {
      const before = numbersOf(recordset)
      recordset = replaced(recordset, records)
      return isFollowedBy(before, numbersOf(recordset), gone)
    })
  })
  t.doesNotThrow(() => fc.assert(property))
})

function numbersOf(recordset: Recordset): ReadonlyMap<string, number> {
  return new Map(markedRecords(recordset).map(({ value, mark }) => [value, mark.number]))
}

/** Adds to the numbers that are gone. */
function isFollowedBy(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  gone: Set<number>,
): boolean {
  const numbers = new Set(after.values())
  const areKept = [...after].every(([value, number]) => (before.get(value) ?? number) === number)
  const areNew = [...numbers].every(number => !gone.has(number))
  for (const number of before.values()) if (!numbers.has(number)) gone.add(number)
  return areKept && areNew && numbers.size === after.size
}
