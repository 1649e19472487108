import t from 'tap'
import { nameField } from '../../../src/api/identity/field-schemas.ts'
import { compile } from '../../../src/validator.ts'

const findings = compile(nameField)

t.test('a name is visible', async t => {
  for (const name of ['a', 'a b', 'é', '部門', 'a'.repeat(64), 'x@example.com'])
    t.strictSame(findings(name), [], name)
  const bad = ['', ' ', ' a', 'a ', 'a\n', '\ta', 'a\u0000b', 'a\u007fb', 'a'.repeat(65), 1, null]
  for (const name of bad) t.not(findings(name).length, 0, JSON.stringify(name))
})

t.test('a hostile name costs no more than its length (linear time)', async t => {
  const name = `${'a'.repeat(900_000)}\u0000`
  t.not(findings(name).length, 0)
  t.not(findings(` ${'a '.repeat(450_000)}`).length, 0)
})
