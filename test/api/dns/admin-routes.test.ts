import t from 'tap'
import type { ErrorType } from '../../../src/errors.ts'
import { defaultPoolId } from '../../../src/model/pool.ts'
import { dialectPlaces } from '../../helpers/dialects.ts'
import { startDnsApi } from '../../helpers/dns-api.ts'

// Blacklists, TLDs and TSIG keys: one table of what is particular to each, one story of what is the same.

const { dns, api } = await startDnsApi(t)
const { admin } = api
const member = await api.clientOf({ project: 'one' })

const unknownId = '5b1c7f40-7d4e-4a53-9f0c-0a3c5b0f1d11'
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/

type Fields = Readonly<Record<string, unknown>>

type Kind = {
  /** In paths and lists. */
  readonly plural: string
  /** A good body, different for each number. */
  readonly body: (number: number) => Fields
  readonly changes: readonly Fields[]
  /** By what two of them cannot be the same. */
  readonly key: string
  readonly notFound: ErrorType
  readonly duplicate: ErrorType
  /** What is wrong, with what, and at which path; or, without one, in which type. */
  readonly refused: readonly (readonly [
    rule: string,
    changes: Fields,
    where: readonly string[] | ErrorType,
  ])[]
  readonly filters: readonly string[]
  readonly sortKeys: readonly string[]
}

const long = (length: number) => 'x'.repeat(length)

const describable: Kind['refused'] = [
  ['a description that is no text', { description: 7 }, ['description']],
  ['a description of 161 characters', { description: long(161) }, ['description']],
]

const kinds: readonly Kind[] = [
  {
    plural: 'blacklists',
    body: number => ({ pattern: `^evil-${number}\\.`, description: `number ${number}` }),
    changes: [{ pattern: '^worse\\.' }, { description: 'other words' }, { description: null }, {}],
    key: 'pattern',
    notFound: 'blacklist_not_found',
    duplicate: 'duplicate_blacklist',
    refused: [
      ['no pattern', { pattern: undefined }, []],
      ['a pattern that is null', { pattern: null }, ['pattern']],
      ['an empty pattern', { pattern: '' }, ['pattern']],
      ['a pattern of 256 characters', { pattern: long(256) }, ['pattern']],
      ['a pattern that is none', { pattern: '(' }, ['pattern']],
      ['a pattern with lookaround', { pattern: '^(?!www)' }, ['pattern']],
      ['a pattern with a backreference', { pattern: '(a)\\1' }, ['pattern']],
      ['a pattern of too many repetitions', { pattern: '(a?){1000}' }, ['pattern']],
      ...describable,
    ],
    filters: ['pattern'],
    sortKeys: ['created_at', 'id', 'updated_at', 'pattern'],
  },
  {
    plural: 'tlds',
    body: number => ({ name: `tld-${number}`, description: `number ${number}` }),
    changes: [
      { name: 'co.example' },
      { description: 'other words' },
      { description: null },
      {},
      { name: '_co.example' },
    ],
    key: 'name',
    notFound: 'tld_not_found',
    duplicate: 'duplicate_tld',
    refused: [
      ['no name', { name: undefined }, []],
      ['an empty name', { name: '' }, ['name']],
      ['a name that ends with a dot', { name: 'com.' }, ['name']],
      ['a name with an empty label', { name: 'co..uk' }, ['name']],
      ['a name with a blank', { name: 'c om' }, ['name']],
      ['a name with a hyphen at its end', { name: 'com-' }, ['name']],
      ['a label of 64 characters', { name: long(64) }, ['name']],
      ['a name of 256 characters', { name: long(256) }, ['name']],
      ...describable,
    ],
    filters: ['name'],
    sortKeys: ['created_at', 'id', 'updated_at', 'name'],
  },
  {
    plural: 'tsigkeys',
    body: number => ({
      name: `key-${number}`,
      algorithm: 'hmac-sha256',
      secret: 'c2VjcmV0',
      scope: 'POOL',
      resource_id: defaultPoolId,
    }),
    changes: [
      { name: 'other.' },
      { algorithm: 'hmac-md5' },
      { secret: 'b3RoZXI=' },
      {},
      { scope: 'ZONE' },
      { name: 'Key of ns1' },
    ],
    key: 'name',
    notFound: 'tsigkey_not_found',
    duplicate: 'duplicate_tsigkey',
    refused: [
      ['no name', { name: undefined }, []],
      ['no secret', { secret: undefined }, []],
      ['a name of 161 characters', { name: long(161) }, ['name']],
      ['a name that is no domain name', { name: 'a..b' }, ['name']],
      ['an algorithm there is not', { algorithm: 'hmac-sha3' }, ['algorithm']],
      ['an empty secret', { secret: '' }, ['secret']],
      ['a secret of 161 characters', { secret: long(161) }, ['secret']],
      ['a secret with a line end', { secret: 'a\n' }, ['secret']],
      ['a scope there is not', { scope: 'ALL' }, ['scope']],
      ['a resource that is no UUID', { resource_id: 'default' }, ['resource_id']],
      ['a pool there is not', { resource_id: unknownId }, 'invalid_tsigkey'],
    ],
    filters: ['name', 'algorithm', 'scope'],
    sortKeys: ['created_at', 'id', 'updated_at', 'name'],
  },
]

for (const kind of kinds) {
  for (const { dialect, base, denied } of dialectPlaces) {
    const path = `${base}/${kind.plural}`
    const named = (rule: string) => `${dialect} ${kind.plural}: ${rule}`
    let number = 0
    const newBody = () => {
      number += 1
      return kind.body(number)
    }
    const created = async () => (await admin.post(path, newBody())).body
    /** Leaves nothing behind for whoever lists next, or creates a zone. */
    const clear = async () => {
      const { body } = await admin.get(`${path}?limit=max`)
      for (const { id } of body[kind.plural]) await admin.delete(`${path}/${id}`)
    }

    t.test(named('POST answers 201 with it, and where it is'), async t => {
      const sent = newBody()
      const { status, headers, body } = await admin.post(path, sent)
      t.equal(status, 201)
      t.equal(headers.get('location'), `${api.url}${path}/${body.id}`)
      t.match(body.created_at, timestamp)
      const { id, created_at: createdAt, ...rest } = body
      const links = { self: `${api.url}${path}/${id}` }
      t.same(rest, { ...sent, updated_at: null, links })
      t.same((await admin.get(`${path}/${id}`)).body, body)
      await clear()
    })

    t.test(named('refused bodies of POST and PATCH'), async t => {
      const { id } = await created()
      for (const [rule, changes, where] of kind.refused) {
        const type = typeof where === 'string' ? where : 'invalid_object'
        const answer = await admin.post(path, { ...newBody(), ...changes })
        t.match(answer, { status: 400, body: { code: 400, type } }, rule)
        if (typeof where !== 'string') t.same(answer.body.errors?.errors[0]?.path, where, rule)
        // What is left out of a change stays.
        if (Object.values(changes).includes(undefined)) continue
        t.match(await admin.patch(`${path}/${id}`, changes), { status: 400, body: { type } }, rule)
      }
      const unknownKey = await admin.post(path, { ...newBody(), colour: 'red' })
      t.match(unknownKey, { status: 400, body: { type: 'invalid_object', message: /'colour'/ } })
      t.match(await admin.post(path, ''), { status: 400, body: { type: 'empty_request_body' } })
      t.equal((await admin.get(path)).body[kind.plural].length, 1, 'nothing is written')
      await clear()
    })

    t.test(named('PATCH changes what it says, and nothing else'), async t => {
      const before = await created()
      let expected = before
      for (const changes of kind.changes) {
        const { status, body } = await admin.patch(`${path}/${before.id}`, changes)
        expected = { ...expected, ...changes, updated_at: body.updated_at }
        t.equal(status, 200)
        t.same(body, expected)
        t.match(body.updated_at, timestamp)
      }
      t.same((await admin.get(`${path}/${before.id}`)).body, expected)
      await clear()
    })

    t.test(named('the same one twice is 409, whichever way it comes'), async t => {
      const one = await created()
      const other = await created()
      const key = { [kind.key]: one[kind.key] }
      const refused = { status: 409, body: { code: 409, type: kind.duplicate } }
      t.match(await admin.post(path, { ...newBody(), ...key }), refused)
      t.match(await admin.patch(`${path}/${other.id}`, key), refused)
      t.match(await admin.patch(`${path}/${one.id}`, key), { status: 200 }, 'itself is no other')
      const raced = newBody()[kind.key]
      const racers = Array.from({ length: 8 }, () => ({ ...newBody(), [kind.key]: raced }))
      const answers = await Promise.all(racers.map(body => admin.post(path, body)))
      const statuses = answers.map(({ status }) => status).sort()
      t.same(statuses, [201, 409, 409, 409, 409, 409, 409, 409])
      await clear()
    })

    t.test(named('DELETE answers 204 with nothing, and it is gone'), async t => {
      const { id } = await created()
      const { status, text } = await admin.delete(`${path}/${id}`)
      t.same([status, text], [204, ''])
      t.equal((await admin.get(`${path}/${id}`)).status, 404)
    })

    t.test(named('one that there is not is 404, and an id that is none 400'), async t => {
      const refused = { status: 404, body: { code: 404, type: kind.notFound } }
      const item = `${path}/${unknownId}`
      t.match(await admin.get(item), refused)
      t.match(await admin.patch(item, {}), refused)
      t.match(await admin.delete(item), refused)
      t.match(await admin.get(`${path}/7`), { status: 400, body: { type: 'invalid_uuid' } })
      t.match(await admin.put(item, {}), { status: 405, body: { type: 'method_not_allowed' } })
    })

    t.test(named('nobody but an administrator has anything to do with them'), async t => {
      const { id } = await created()
      const refused = { status: denied, body: { code: denied, type: 'forbidden' } }
      const body = newBody()
      t.match(await member.get(path), refused)
      t.match(await member.post(path, body), refused)
      t.match(await member.get(`${path}/${id}`), refused)
      t.match(await member.patch(`${path}/${id}`, {}), refused)
      t.match(await member.delete(`${path}/${id}`), refused)
      t.match(await member.get(`${path}/${unknownId}`), refused, 'whether there is one or not')
      t.equal((await api.anonymous.get(path)).status, 401)
      await clear()
    })

    t.test(named('a list is paged, sorted and filtered, and counts nothing'), async t => {
      const rows = [await created(), await created(), await created()]
      const ids = (answer: { readonly body: Record<string, { id: string }[]> }) =>
        answer.body[kind.plural]?.map(({ id }) => id)
      const all = rows.map(({ id }) => id)
      const first = await admin.get(`${path}?limit=2`)
      t.same(ids(first), all.slice(0, 2))
      t.same(Object.keys(first.body).sort(), [kind.plural, 'links'].sort())
      const { next } = first.body.links
      t.equal(next, `${api.url}${path}?limit=2&marker=${all[1]}`)
      t.same(ids(await admin.get(next)), all.slice(2))
      t.same(ids(await admin.get(`${path}?sort_dir=desc`)), all.toReversed())
      for (const key of kind.sortKeys) {
        t.equal((await admin.get(`${path}?sort_key=${key}`)).status, 200, key)
      }
      for (const key of kind.filters) {
        const value = encodeURIComponent(rows[1][key])
        t.ok(ids(await admin.get(`${path}?${key}=${value}`))?.includes(all[1]), key)
        t.same(ids(await admin.get(`${path}?${key}=no-such-thing`)), [], key)
      }
      const wrong = { status: 400, body: { type: 'bad_request' } }
      t.match(await admin.get(`${path}?colour=red`), wrong)
      t.match(await admin.get(`${path}?sort_key=colour`), { body: { type: 'invalid_sort_key' } })
      t.match(await admin.get(`${path}?marker=${unknownId}`), {
        body: { type: 'marker_not_found' },
      })
      await clear()
    })
  }
}

t.test('a TSIG key may be for a zone, and its id be written in any way', async t => {
  const { body: zone } = await member.post('/v2/zones', {
    name: 'keyed.example.',
    email: 'ops@example.com',
  })
  const body = {
    name: 'transfer.',
    algorithm: 'hmac-sha512',
    secret: 'c2VjcmV0',
    scope: 'ZONE',
    resource_id: zone.id.replaceAll('-', '').toUpperCase(),
  }
  const answer = await admin.post('/v2/tsigkeys', body)
  t.match(answer, { status: 201, body: { scope: 'ZONE', resource_id: zone.id } })
  const same = { ...body, name: 'Transfer' }
  t.match(await admin.post('/v2/tsigkeys', same), { status: 409 }, 'names are domain names')
  t.ok(dns.store.find('tsigKeys', 'byName', 'transfer'))
})

t.test('a TSIG key has the pools and zones that name it, and is deleted all the same', async t => {
  const { body: zone } = await member.post('/v2/zones', {
    name: 'naming.example.',
    email: 'ops@example.com',
    attributes: { allow_transfer: '192.0.2.1,key:Shared.' },
  })
  await member.post('/v2/zones', { name: 'other.example.', email: 'ops@example.com' })
  const rules = [{ key: 'shared', match: 'zone' }]
  await member.put(`/v2/zones/${zone.id}/update_policy`, { rules })
  const key = { name: 'shared', algorithm: 'hmac-sha256', secret: 'c2VjcmV0', scope: 'POOL' }
  const { body } = await admin.post('/v2/tsigkeys', { ...key, resource_id: defaultPoolId })
  const path = `/v2/tsigkeys/${body.id}`
  const ofZone = {
    resource: 'zone',
    id: zone.id,
    name: 'naming.example.',
    places: ['allow_transfer', 'update_policy'],
  }
  t.same((await admin.get(`${path}/uses`)).body, { uses: [ofZone], metadata: { total_count: 1 } })
  const pool = `/v2/pools/${defaultPoolId}`
  await admin.patch(pool, { attributes: { also_notify: '192.0.2.2:53 key:shared' } })
  const ofPool = {
    resource: 'pool',
    id: defaultPoolId,
    name: 'default',
    places: ['also_notify'],
  }
  t.same((await admin.get(`${path}/uses`)).body.uses, [ofPool, ofZone])
  await admin.patch(pool, { attributes: {} })
  t.equal((await admin.delete(path)).status, 204)
  t.match(await admin.get(`${path}/uses`), { status: 404, body: { type: 'tsigkey_not_found' } })
})
