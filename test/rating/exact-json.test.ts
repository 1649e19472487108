import t from 'tap'
import { NumberText, parseJsonExactly } from '../../src/rating/exact-json.ts'

t.test('a number keeps its text where a float would not print it', async t => {
  const { exact, long, huge, dotted } = parseJsonExactly(
    '{"exact":0.25,"long":0.10000000000000000000001,"huge":1e400,"dotted":1.0}',
  ) as Record<string, unknown>
  t.equal(exact, 0.25)
  t.strictSame(long, new NumberText('0.10000000000000000000001'))
  t.strictSame(huge, new NumberText('1e400'))
  t.strictSame(dotted, new NumberText('1.0'))
})

t.test('what is not JSON throws, as JSON.parse does', async t => {
  for (const text of ['NaN', '{"qty":Infinity}', '[01]', '']) {
    t.throws(() => parseJsonExactly(text), SyntaxError)
  }
})
