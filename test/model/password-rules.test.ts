import t from 'tap'
import { compilePasswordRegex, passwordCheck } from '../../src/model/password-rules.ts'

t.test('a password has at least so many characters', async t => {
  const check = passwordCheck({ minLength: 8, regex: undefined, description: undefined })
  t.equal(check('1234567'), 'it must have at least 8 characters')
  t.equal(check('12345678'), undefined)
  t.match(check('😀😀😀😀'), /at least 8/, 'a character is not half of one')
})

t.test('a pattern that does not match is reported by its description', async t => {
  const rules = { minLength: 1, regex: '\\d', description: 'use digits' }
  const check = passwordCheck(rules)
  t.equal(check('abc'), 'use digits')
  t.equal(passwordCheck({ ...rules, description: undefined })('abc'), 'it must match \\d')
})

t.test('expressions match from the beginning, as in Keystone', async t => {
  const rows: readonly [string, readonly string[], readonly string[]][] = [
    ['^(?=.*\\d)(?=.*[a-zA-Z]).{7,}$', ['abcdef1', '1aaaaaaaaaa'], ['abcdefg', '1234567', 'abc1']],
    ['(?!.*secret)(?=[(\\])]).+', ['(x', ')'], ['a', '(secret']],
    ['[a-z]+', ['abc1'], ['1abc']],
    ['a|b', ['a', 'bc'], ['ca']],
  ]
  for (const [regex, good, bad] of rows) {
    const { test = () => undefined, problem } = compilePasswordRegex(regex)
    t.equal(problem, undefined)
    for (const password of good) t.equal(test(password), true, `${regex} ${password}`)
    for (const password of bad) t.equal(test(password), false, `${regex} ${password}`)
  }
})

t.test('what takes more than linear time, or is no expression, is a problem', async t => {
  for (const regex of ['a(?=b)', '(?<=a)b', '(a)\\1', '(', '[', '(?=a'])
    t.type(compilePasswordRegex(regex).problem, 'string', regex)
})

t.test('an expression that others take exponential time for is quick', async t => {
  const { test } = compilePasswordRegex('(a+)+$')
  t.equal(test?.(`${'a'.repeat(1_000)}b`), false)
})
