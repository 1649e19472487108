import t from 'tap'
import { compilePattern } from '../../src/model/blacklist-pattern.ts'

function isMatch(pattern: string, name: string): boolean {
  const { test, problem } = compilePattern(pattern)
  if (test === undefined) throw new Error(problem)
  return test(name.toLowerCase())
}

t.test('a pattern is searched for anywhere in a name, in any case', async t => {
  const rows: [rule: string, pattern: string, name: string, expected: boolean][] = [
    ['a text in the middle', 'evil', 'www.evil.example.', true],
    ['a text that is not there', 'evil', 'www.good.example.', false],
    ['^ is the beginning', '^evil', 'www.evil.example.', false],
    ['$ is the end, after the dot', 'example$', 'www.example.', false],
    ['$ is the end', 'example\\.$', 'www.example.', true],
    ['\\A and \\Z are both ends', '\\Awww\\.example\\.\\Z', 'www.example.', true],
    ['\\Z in the middle', '(?:com|org)\\.\\Z', 'example.org.', true],
    ['a dot that is escaped', '^a\\.b', 'axb.example.', false],
    ['a lower-case pattern, an upper-case name', '^evil\\.', 'EVIL.example.', true],
    ['an upper-case pattern, a lower-case name', '^EVIL\\.', 'evil.example.', true],
    ['a class of capitals', '^[A-Z]+\\.', 'evil.example.', true],
    ['a range that spans the capitals', '^[!-_]+\\.', 'evil.example.', true],
    ['a capital as hexadecimal', '^\\x45vil', 'evil.example.', true],
    ['a class of letters of both kinds', '^([A-Za-z0-9_\\-]+\\.)*evil\\.', 'WWW.Evil.', true],
    ['a range of both kinds', '^[A-z]+\\.', 'evil.example.', true],
    ['a range with other ends', '^[a-c-e]+\\.', 'A-E.example.', true],
    ['a hyphen at the end of a class', '^[a-z-]+\\.', 'a-b.example.', true],
    ['a hyphen at the beginning of a class', '^[-a]+B\\.', 'a-b.example.', true],
    ['what stands behind such a class', '^[A-]B\\.', 'ab.example.', true],
    ['a capital in a class', '^[EV]', 'evil.example.', true],
    ['a category', '^\\p{Lu}', 'evil.example.', true],
    ['a group with a name in capitals', '^(?P<Name>E)vil', 'evil.example.', true],
    ['flags', '(?i)^EVIL', 'evil.example.', true],
    ['a class of capitals that excludes', '^[^A-Z]', 'evil.example.', false],
    ['a class that excludes', '^[^a-z]+$', 'EVIL.example.', false],
    ['an escape with a capital', '^\\S+$', 'evil.example.', true],
    ['a repetition without lower bound', '^a{,2}b', 'aab.example.', true],
    ['... that is exceeded', '^a{,2}b', 'aaab.example.', false],
    ['a repetition that is none, in a class', '^[{,2}]', '2.example.', true],
    ['what would be lookaround, in a class', '^[(?=]', 'a.example.', false],
    ['a class with its own end in it', '^[](?=]', 'a.example.', false],
    ['a named group', '^(?P<first>a)', 'a.example.', true],
    ['a backslash before Z', '^a\\\\Z', 'a.example.', false],
    ['an alternative', '(^|\\.)evil\\.', 'a.evil.b.', true],
    ['nothing at all', '', 'a.example.', true],
  ]
  for (const [rule, pattern, name, expected] of rows)
    t.equal(isMatch(pattern, name), expected, rule)
})

t.test('what cannot be matched in linear time is refused by name', async t => {
  const rows: [pattern: string, cause: RegExp][] = [
    ['(?=a)b', /lookaround '\(\?='/],
    ['(?!a)b', /lookaround '\(\?!'/],
    ['(?<=a)b', /lookaround '\(\?<='/],
    ['(?<!a)b', /lookaround '\(\?<!'/],
    ['(a)\\1', /backreference '\\1'/],
    ['(?P<x>a)(?P=x)', /backreference '\(\?P='/],
    ['(a)?(?(1)b|c)', /conditional/],
    ['(?>a+)b', /atomic group/],
    ['(?#why)a', /comment/],
    ['\\Qa.b\\E', /escape '\\Q'/],
    ['(a?){1000}', /repetitions/],
    ['((a{100}){100}){100}', /repeat/],
    ['(', /missing closing/],
    ['[a', /missing closing/],
    ['*a', /missing argument/],
    ['a**', /repetition/],
    ['a\\', /trailing backslash/],
  ]
  for (const [pattern, cause] of rows) t.match(compilePattern(pattern).problem, cause, pattern)
})

t.test('a pattern that backtracks for ever elsewhere is done at once here', async t => {
  const name = `${'a'.repeat(63)}.${'a'.repeat(63)}.${'a'.repeat(63)}.x.`
  for (const pattern of ['^(a+)+$', '^(a|aa)+$', '(.*a){20}b$', '^(([a-z])+.)+[A-Z]([a-z])+$'])
    t.equal(isMatch(pattern, name), false, pattern)
})
