import t from 'tap'
import { visible } from '../../../src/api/rating/services.ts'
import { callerOf } from '../../helpers/dns.ts'

const asked = new Map([
  ['project_id', ['other']],
  ['type', ['dns.queries']],
])

t.test('an administrator sees what it asks for', async t => {
  t.equal(visible(asked, callerOf('alpha', 'admin')), asked)
})

t.test('others see their own project, and of that what they ask for', async t => {
  t.strictSame(
    [...visible(asked, callerOf('alpha', 'reader'))],
    [
      ['project_id', ['alpha']],
      ['type', ['dns.queries']],
    ],
  )
})
