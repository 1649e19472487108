import t from 'tap'
import { hostNameError, hostNameProblem } from '../../src/model/host-name.ts'
import { maxNameLength } from '../../src/model/limits.ts'

const label = 'a'.repeat(62)

t.test('the longest name that fits into 255 octets is good, one more character is not', async t => {
  const longest = `${label}a.${label}a.${label}a.${'a'.repeat(61)}.`
  t.equal(longest.length, maxNameLength)
  t.equal(hostNameProblem(longest), undefined)
  t.match(hostNameProblem(`a${longest}`), /255 characters/)
})

t.test('the first fault is reported', async t => {
  t.match(hostNameProblem('a b.-c.'), /'a b' holds ' '/)
  t.match(hostNameProblem('a b.-c'), /end with a dot/)
  t.match(hostNameProblem('😀.'), /holds '😀': .* xn--/u)
})

t.test('takes time proportional to the name, whatever it is', async t => {
  t.match(hostNameProblem(`${'-'.repeat(300_000)}.`), /300001 characters/)
})

t.test('a field is reported by its name, with what is wrong', async t => {
  t.equal(hostNameError('name', 'ns1.example.'), undefined)
  const { path, message, validator, validator_value } = hostNameError('name', 'ns1') ?? {}
  t.same([path, validator, validator_value], [['name'], 'format', 'hostname'])
  t.match(message, /^'ns1' is not a 'hostname': .* end with a dot/)
})
