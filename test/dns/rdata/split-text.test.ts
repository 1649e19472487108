import t from 'tap'
import { parseRdata, typeCode } from '../../../src/dns/rdata/index.ts'
import { splitText } from '../../../src/dns/rdata/split-text.ts'

const a = (count: number) => 'a'.repeat(count)

t.test('what is too long for a string is split at 255 octets', async t => {
  const rows: [text: string, split: string][] = [
    [`"${a(256)}"`, `"${a(255)}" "a"`],
    [a(256), `"${a(255)}" "a"`],
    [`"x" "${a(600)}" ""`, `"x" "${a(255)}" "${a(255)}" "${a(90)}" ""`],
    [`"\\001${a(254)}\\"\\\\"`, `"\\001${a(254)}" "\\"\\\\"`],
    [`"${'ü'.repeat(128)}"`, `"${'\\195\\188'.repeat(127)}\\195" "\\188"`],
  ]
  for (const [text, split] of rows) {
    t.equal(splitText(text), split)
    parseRdata(typeCode('TXT') ?? 0, split)
  }
})

t.test('what fits stays as it is written', async t => {
  for (const text of [`"${a(255)}"`, 'v=spf1 mx -all', '"a"  "b"', '""']) {
    t.equal(splitText(text), text)
  }
})

t.test('what is no text is refused', async t => {
  for (const text of ['"open', 'a" b', '\\300'])
    t.throws(() => splitText(text), { name: 'FormatError' })
})
