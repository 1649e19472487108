import t from 'tap'
import { ApiError, type ErrorType, errorTypes } from '../src/errors.ts'

t.test('an error has the status of its type', async t => {
  const rows: [ErrorType, number][] = [
    ['invalid_object', 400],
    ['unauthorized', 401],
    ['forbidden', 403],
    ['zone_not_found', 404],
    ['duplicate_zone', 409],
    ['over_quota', 413],
    ['unknown', 500],
  ]
  for (const [type, status] of rows) t.equal(new ApiError(type, '').status, status, type)
})

t.test('every status is one of an error', async t => {
  for (const type of errorTypes) {
    const { status } = new ApiError(type, '')
    t.ok(status >= 400 && status < 600, type)
  }
})

t.test('an error keeps what it is given', async t => {
  const cause = new Error('cause')
  const fieldErrors = [{ path: ['ttl'], message: 'is too short', validator: 'minimum' }]
  const error = new ApiError('too_many_requests', 'Later', {
    cause,
    fieldErrors,
    retryAfterSeconds: 3,
  })
  t.match(error, { message: 'Later', cause, fieldErrors, retryAfterSeconds: 3 })
  t.same(new ApiError('unknown', '').fieldErrors, [])
  t.notOk('cause' in new ApiError('unknown', ''))
})
