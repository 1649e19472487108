import fc from 'fast-check'
import t from 'tap'
import { parseName } from '../../src/dns/name.ts'
import { canonicalOwnerName, ownerNameProblem, ownerNameText } from '../../src/model/owner-name.ts'
import { enclosingNames } from '../../src/model/zone-name.ts'
import { nameArbitrary } from '../helpers/rdata-arbitraries.ts'

t.test('a name has one text, however it is written', async t => {
  const rows: readonly (readonly [string, string])[] = [
    ['www.example.com.', 'www.example.com.'],
    [String.raw`\119ww.example.com.`, 'www.example.com.'],
    [String.raw`a\.b.example.com.`, String.raw`a\046b.example.com.`],
    [String.raw`a\046b.example.com.`, String.raw`a\046b.example.com.`],
    [String.raw`a\\.b.example.com.`, String.raw`a\\.b.example.com.`],
    [String.raw`\042.example.com.`, '*.example.com.'],
    ['a@b.example.com.', String.raw`a\@b.example.com.`],
    ['no name', 'no name'],
    ['relative', 'relative'],
  ]
  for (const [given, text] of rows) t.equal(canonicalOwnerName(given), text)
})

t.test('any name is back from its text, which is cut at its dots into its labels', async t => {
  const property = fc.property(nameArbitrary, name => {
    const text = ownerNameText(name)
    const above = enclosingNames(text).map(one => parseName(one))
    const isCutRight = above.every(one => name.endsWith(one))
    const isGood = name.length === 1 || ownerNameProblem(text, 'any') === undefined
    return parseName(text) === name && canonicalOwnerName(text) === text && isCutRight && isGood
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 300 }))
})
