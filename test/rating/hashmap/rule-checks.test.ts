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
  for (const text of ['', 'x', 'NaN', 'Infinity', '-inf', '1e999', digits, '1e12', '1e-29', '0x10'])
    t.throws(() => amountText('cost', text), refusal('bad_request'), text)
  t.equal(amountText('level', '1e-8'), '0.00000001')
  t.throws(() => amountText('level', '1e-9'), refusal('bad_request'))
  t.throws(() => amountText('cost', '9'.repeat(5000)), /9{64}…'/)
})
