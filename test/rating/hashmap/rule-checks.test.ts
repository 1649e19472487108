import t from 'tap'
import { amountText } from '../../../src/rating/hashmap/rule-checks.ts'
import { refusal } from '../../helpers/refusal.ts'

t.test('a cost is kept to its last digit', async t => {
  const cases = [
    ['0.1000000000000000055511151231', '0.1000000000000000055511151231'],
    ['999999999999.9999999999999999999999999999', '999999999999.9999999999999999999999999999'],
    ['1e-28', '0.0000000000000000000000000001'],
    ['0.50', '0.5'],
    ['-2', '-2'],
    ['.5', '0.5'],
  ] as const
  for (const [text, kept] of cases) t.equal(amountText('cost', text), kept)
})

t.test('an amount that is none, not finite or too long is refused', async t => {
  const digits = '1'.repeat(40)
  for (const text of ['', 'x', 'NaN', 'Infinity', '-inf', '1e999', digits, '1e12', '0x10'])
    t.throws(() => amountText('cost', text), refusal('bad_request'), text)
  t.throws(() => amountText('level', '999999999999.999999999'), refusal('bad_request'))
  t.throws(() => amountText('cost', '9'.repeat(5000)), /9{64}…'/)
})

t.test('digits that do not fit behind the point are rounded', async t => {
  t.equal(amountText('level', '2.8499999999999996'), '2.85')
  t.equal(amountText('level', '1e-8'), '0.00000001')
  t.equal(amountText('level', '1e-9'), '0')
  t.equal(amountText('cost', '2.8499999999999996'), '2.8499999999999996')
  t.equal(amountText('cost', '1.5e-28'), '0.0000000000000000000000000002')
})
