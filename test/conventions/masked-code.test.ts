import t from 'tap'
import { maskedCode } from './masked-code.ts'

t.test('comments, texts and regular expressions are blanked, code stays in place', async t => {
  const rows: [string, string][] = [
    ['a // b', 'a     '],
    ['a /* b\nc */ d', 'a     \n     d'],
    ['a(\'b\', "c")', 'a(   ,    )'],
    [String.raw`a('\'b', c)`, 'a(     , c)'],
    [String.raw`a('\\', b)`, 'a(    , b)'],
    ["a = '// b' + c", 'a =        + c'],
    ['a = /[/]b/.test(c)', 'a =       .test(c)'],
    ['a / b / c', 'a / b / c'],
    [String.raw`a(/\/'/, b)`, 'a(     , b)'],
    ['`a ${b} c` + d', '     b     + d'],
    ['`a ${b({ c: 1 })} ${`d ${e}`} f` + g', '     b({ c: 1 })         e       + g'],
    ['{ `a` }', '{     }'],
  ]
  for (const [source, expected] of rows) t.equal(maskedCode(source), expected, source)
})
