import t from 'tap'
import { patternMatcher } from '../../src/api/pattern.ts'
import { Dice } from '../helpers/dice.ts'

const patterns: readonly [value: string, pattern: string, isMatch: boolean][] = [
  ['www.example.', 'www.example.', true],
  ['www.example.', 'WWW.Example.', true],
  ['www.example.', 'example.', false],
  ['www.example.', '*example.', true],
  ['www.example.', 'www*', true],
  ['www.example.', 'w*x*.', true],
  ['www.example.', 'w*z*.', false],
  ['www.example.', '*', true],
  ['', '*', true],
  ['', '', true],
  ['a', '', false],
  ['ab', '***', true],
  ['a.b', 'a?b', false],
  ['a%b', 'a%', false],
  ['aab', '*ab', true],
  ['mississippi', 'm*iss*pi', true],
  ['mississippi', 'm*iss*x', false],
]

t.test('a star stands for any run of characters and nothing else is special', async t => {
  for (const [value, pattern, isMatch] of patterns)
    t.equal(patternMatcher(pattern)(value), isMatch, `${value} against ${pattern}`)
})

t.test('a pattern matches what a regular expression would', async t => {
  const dice = new Dice(11)
  const words = (letters: string, length: number) =>
    Array.from({ length: dice.below(length) }, () => dice.pick([...letters])).join('')
  const wrong: string[] = []
  for (let round = 0; round < 5_000; round += 1) {
    const [value, pattern] = [words('ab', 12), words('ab*?', 8)]
    const expression = pattern.replaceAll('*', '.*').replaceAll('?', '.')
    const isMatch = new RegExp(`^${expression}$`).test(value)
    if (patternMatcher(pattern, '?')(value) !== isMatch) wrong.push(`${value} against ${pattern}`)
  }
  t.same(wrong, [])
})

t.test('a long value is looked at once, whatever the pattern', async t => {
  const value = 'a'.repeat(300_000)
  const half = 'a'.repeat(4_000)
  for (const pattern of [
    `*${half}b*`,
    `*b${half}*`,
    `*${half}b${half}*`,
    `${'*a'.repeat(4_000)}b*`,
  ])
    for (let times = 0; times < 25; times += 1) t.equal(patternMatcher(pattern)(value), false)
})
