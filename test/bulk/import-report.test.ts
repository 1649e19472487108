import t from 'tap'
import { doneMessage, ImportReporter, shownRecordset } from '../../src/bulk/import-report.ts'

const note = (name: string) => ({ name, type: 'A', reason: 'outside the zone' })

t.test('a message says what was done, and of the rest only what there is', async t => {
  const reporter = new ImportReporter()
  t.equal(doneMessage('a. imported', reporter.report()), 'a. imported')
  for (const name of ['b.', 'c.']) reporter.leftOut.add(() => note(name))
  const message = 'a. imported; left out: b. A (outside the zone), c. A (outside the zone)'
  t.equal(doneMessage('a. imported', reporter.report()), message)
})

t.test('what is noted after a report is not in it', async t => {
  const reporter = new ImportReporter()
  reporter.changed.add(() => note('b.'))
  const report = reporter.report()
  new ImportReporter(report).changed.add(() => note('c.'))
  reporter.changed.add(() => note('d.'))
  t.same(report.changed, { count: 1, named: [note('b.')] })
})

t.test('a report counts all, and names 100', async t => {
  const reporter = new ImportReporter()
  for (let i = 0; i < 101; i += 1) reporter.leftOut.add(() => note(`n${i}.`))
  const { leftOut } = reporter.report()
  t.equal(leftOut.count, 101)
  t.equal(leftOut.named.length, 100)
})

t.test('of a large recordset the beginnings are shown', async t => {
  const records = Array.from({ length: 20 }, () => 'x'.repeat(1000))
  const shown = shownRecordset({ ttlSeconds: 60, records })
  t.match(shown, { ttlSeconds: 60, recordCount: 20 })
  t.equal(shown.records.length, 8)
  t.ok(shown.records.every(({ length }) => length === 200))
})
