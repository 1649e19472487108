import t from 'tap'
import { scanEntries } from '../../../src/zone/zone-file/scan.ts'

/** Each entry as its line, an owner or none, and its words. */
function scan(text: string): string[] {
  return [...scanEntries(text)].map(({ line, hasNoOwner, tokens }) => {
    const words = tokens.map(({ raw, isQuoted }) => (isQuoted ? `"${raw}"` : raw))
    return `${line}${hasNoOwner ? '-' : '+'} ${words.join('|')}`
  })
}

t.test('an entry is a line, or several within parentheses', async t => {
  t.same(scan('a b\nc (d\n e) f\n g\n'), ['1+ a|b', '2+ c|d|e|f', '4- g'])
})

t.test('comments and empty lines are no entries, and no part of one', async t => {
  t.same(scan('; first\n\n a ; b ( c\n(\n;)\n d )\n'), ['3- a', '4+ d'])
})

t.test('quotes and escapes keep what would end a word', async t => {
  t.same(scan('"a ;()" b\\;c\n'), ['1+ "a ;()"|b\\;c'])
})

t.test('a byte order mark is not read', async t => {
  t.same(scan('\ufeffa b'), ['1+ a|b'])
})

t.test('what has no other half is refused with its line', async t => {
  const rows: readonly [text: string, line: number][] = [
    ['a (\nb\n', 1],
    ['a\nb )\n', 2],
    ['a ( ( b ) )\n', 1],
    ['a\n\nb "c\n', 3],
  ]
  for (const [text, line] of rows) t.throws(() => scan(text), { name: 'ZoneFileError', line }, text)
})
