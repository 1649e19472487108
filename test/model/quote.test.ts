import t from 'tap'
import { quote } from '../../src/model/quote.ts'

t.test('a value is quoted as it is, a long one cut', async t => {
  t.equal(quote('x'), "'x'")
  t.equal(quote('x'.repeat(80)).length, 82)
  t.match(quote('x'.repeat(81)), /^'x{79}…'$/)
  t.equal(quote(`${'x'.repeat(78)}😀x`), `'${'x'.repeat(78)}…'`, 'no half of a character is left')
})
