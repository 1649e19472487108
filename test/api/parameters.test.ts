import t from 'tap'
import { canonicalId, parseUuid, uuidParameter } from '../../src/api/parameters.ts'

const uuid = '794ccc2c-d751-44fe-b57f-8894c9f5c842'

t.test('a UUID is taken in any case, with dashes or without', async t => {
  for (const text of [uuid, uuid.toUpperCase(), uuid.replaceAll('-', '')])
    t.same([parseUuid(text), canonicalId(text)], [uuid, uuid], text)
  t.equal(canonicalId('default'), 'default', 'a name that a body has for an id')
})

t.test('anything else is no UUID', async t => {
  const others = [
    '',
    'zones',
    `${uuid}0`,
    uuid.slice(1),
    uuid.replace('7', 'g'),
    `{${uuid}}`,
    `${uuid}\n`,
  ]
  for (const text of others) t.equal(parseUuid(text), undefined, JSON.stringify(text))
})

t.test('a path parameter that is no UUID is refused by its name', async t => {
  const refusal = { type: 'invalid_uuid', message: 'Invalid UUID zone_id: abc' }
  t.throws(() => uuidParameter({ zone_id: 'abc' }, 'zone_id'), refusal)
  t.throws(() => uuidParameter({}, 'zone_id'), {
    name: 'ApiError',
    type: 'invalid_uuid',
  })
  t.equal(uuidParameter({ zone_id: uuid }, 'zone_id'), uuid)
})
