import t from 'tap'
import { immutableError, notAllowed, required, requireValid } from '../../src/model/field-rules.ts'

t.test('an object without findings is valid', async t => {
  t.doesNotThrow(() => requireValid('zone', [undefined, undefined]))
})

t.test('all findings are reported in one refusal', async t => {
  const findings = [required('email'), undefined, notAllowed('masters', 'are not for this')]
  t.throws(() => requireValid('zone', findings), {
    name: 'ApiError',
    type: 'invalid_object',
    fieldErrors: [
      { path: [], message: "'email' is a required property" },
      { path: ['masters'], message: "'masters' are not for this" },
    ],
  })
})

t.test('what is set once may be left out or sent unchanged', async t => {
  t.equal(immutableError('type', { sent: undefined, stored: 'A' }), undefined)
  t.equal(immutableError('type', { sent: 'A', stored: 'A' }), undefined)
  t.match(immutableError('type', { sent: 'B', stored: 'A' }), { path: ['type'] })
})
