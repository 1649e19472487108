import t from 'tap'
import {
  cloudkitty,
  cloudkittyV1,
  designate,
  designateV1,
  keystone,
  messageOf,
  plain,
  rating,
  ratingDifferences,
  statusOf,
  typeOf,
  v1,
  v1Differences,
} from '../../src/api/dialect.ts'
import { ApiError, errorTypes } from '../../src/errors.ts'

const denials = ['forbidden', 'illegal_child', 'illegal_parent'] as const

t.test('a denial is 401 Access Denied in the plain dialect and 403 in the others', async t => {
  for (const type of denials) {
    const error = new ApiError(type, 'no role')
    t.equal(statusOf(error, plain), 401)
    t.equal(messageOf(error, plain), 'Access Denied: no role')
    for (const dialect of [designate, keystone]) {
      t.equal(statusOf(error, dialect), 403)
      t.equal(messageOf(error, dialect), 'no role')
    }
  }
})

t.test(
  'no dialect shows a 403 in plain, and every other type has one status everywhere',
  async t => {
    for (const type of errorTypes) {
      const error = new ApiError(type, 'message')
      t.not(statusOf(error, plain), 403, type)
      t.equal(statusOf(error, designate), error.status, type)
      if (error.status !== 403) t.equal(statusOf(error, plain), error.status, type)
    }
  },
)

t.test('a denial in the rating dialect is 403 in the words of its clients', async t => {
  const error = new ApiError('forbidden', 'no role')
  t.equal(statusOf(error, rating), 403)
  t.equal(messageOf(error, rating), 'You are not authorized to perform this action: no role')
})

t.test('a missing login keeps its own words', async t => {
  t.equal(messageOf(new ApiError('unauthorized', 'who?'), plain), 'who?')
})

t.test('a denial in CloudKitty’s dialects is 403 too', async t => {
  const error = new ApiError('forbidden', 'no role')
  t.equal(statusOf(error, cloudkitty), 403)
  t.equal(messageOf(error, cloudkitty), 'You are not authorized to perform this action: no role')
  t.equal(statusOf(error, cloudkittyV1), 403)
  t.equal(messageOf(error, cloudkittyV1), `Policy doesn't allow this to be performed: no role`)
})

t.test(
  'the specification and CloudKitty differ in what is listed, and in nothing else',
  async t => {
    for (const [name, row] of Object.entries(ratingDifferences)) {
      const key = name as keyof typeof ratingDifferences
      t.equal(rating[key], row.rating, name)
      t.equal(cloudkitty[key], row.cloudkitty, name)
      t.equal(plain[key], row.rating, name)
      t.not(row.rating, row.cloudkitty, name)
    }
    t.strictSame({ ...cloudkitty, ...rating }, rating)
  },
)

t.test('the first API calls a zone a domain, and no two types by one name', async t => {
  const names = errorTypes.map(type => typeOf(new ApiError(type, ''), v1))
  t.equal(new Set(names).size, errorTypes.length)
  for (const type of ['zone_not_found', 'duplicate_zone', 'invalid_zone_name'] as const) {
    const error = new ApiError(type, 'Could not find Zone')
    t.equal(typeOf(error, v1), type.replace('zone', 'domain'))
    t.equal(typeOf(error, plain), type)
    t.equal(messageOf(error, v1), 'Could not find Domain')
  }
})

t.test('the first API says domain where the others say zone, but not in names', async t => {
  const rows: readonly (readonly [string, string])[] = [
    ['Could not find Zone', 'Could not find Domain'],
    [`Duplicate Zone: 'my.zone.example.' exists`, `Duplicate Domain: 'my.zone.example.' exists`],
    [`'a.zone.' is not in the zone 'zone.'`, `'a.zone.' is not in the domain 'zone.'`],
    [
      'Quota exceeded for zones, zone_records, zone_recordsets.',
      'Quota exceeded for domains, domain_records, domain_recordsets.',
    ],
    ['Blacklisted zone name', 'Blacklisted domain name'],
    ['Managed records may not be deleted', 'Managed records may not be deleted'],
  ]
  for (const [message, told] of rows) {
    const error = new ApiError('bad_request', message)
    for (const dialect of [v1, designateV1]) t.equal(messageOf(error, dialect), told)
    t.equal(messageOf(error, designate), message)
  }
})

t.test('the older group has the words of then in both its dialects', async t => {
  const error = new ApiError('zone_not_found', 'Could not find Zone')
  for (const dialect of [v1, designateV1]) {
    t.equal(typeOf(error, dialect), 'domain_not_found')
    t.equal(messageOf(error, dialect), 'Could not find Domain')
    t.equal(dialect.errorEnvelope, 'flat')
  }
  for (const [name, row] of Object.entries(v1Differences)) {
    const key = name as keyof typeof v1Differences
    t.equal(v1[key], row.plain, name)
    t.equal(designateV1[key], row.designate, name)
    t.not(row.plain, row.designate, name)
  }
  t.equal(statusOf(new ApiError('forbidden', 'no role'), v1), 401)
  t.equal(statusOf(new ApiError('forbidden', 'no role'), designateV1), 403)
})
