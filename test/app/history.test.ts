import t from 'tap'
import type { ApiClient } from '../helpers/api-client.ts'
import { depth } from '../helpers/depth.ts'
import { RandomChanges, serialLess, type ZonePicture } from '../helpers/random-changes.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

// The history of a zone that four users have changed over all roads.

type Entry = {
  readonly id: number
  readonly serial: number
  readonly serial_before: number | null
  readonly action: string
  readonly is_whole: boolean
  readonly actor: { readonly road: string; readonly user_name: string | null }
  readonly diff: readonly string[]
}

type Listed = { name: string; type: string; ttl: number | null; records: string[] }

const changeCount = 200 * depth

const server = await startWholeServer(t, { dataDirectory: serverFolder(t) })
const projectId = await server.makeProject('club')
await server.admin.patch(`/v2/quotas/${projectId}`, { zone_recordsets: -1, zone_records: -1 })
const users: ApiClient[] = []
for (const name of ['ann', 'bob', 'cleo', 'dan']) {
  const account = await server.makeAccount({ name, projectId, role: 'member' })
  users.push(server.bearer(await server.login(account)))
}
const otherId = await server.makeProject('other')
const stranger = server.bearer(
  await server.login(await server.makeAccount({ name: 'eve', projectId: otherId, role: 'member' })),
)
const [ann] = users as [ApiClient]
const { zone, changes } = await RandomChanges.begin(server, users, 4711)
const pictures = new Map<number, ZonePicture>()
const keep = async () => {
  const picture = await changes.picture()
  pictures.set(picture.serial, picture)
}
await keep()
for (let i = 0; i < changeCount; i += 1) {
  await changes.make()
  await keep()
}

const path = `/v2/zones/${zone.id}/history`
const undo = `/v2/zones/${zone.id}/undo`

function parsed(text: string): readonly Entry[] {
  return text.split('\n').flatMap(line => (line === '' ? [] : (JSON.parse(line) as Entry)))
}

/** Applies a diff; what goes must be there, and what comes must not. */
function apply(lines: Set<string>, diff: readonly string[]): void {
  for (const text of diff) {
    const line = comparable(text.slice(1))
    if (text.startsWith('-')) {
      if (!lines.delete(line)) throw new Error(`gone already: ${line}`)
    } else if (lines.has(line)) throw new Error(`there already: ${line}`)
    else lines.add(line)
  }
}

function comparable(line: string): string {
  const [name, ttl, kind, type = '', ...rdata] = line.split(' ')
  return [name, ttl, kind, type, serialLess(type, rdata.join(' '))].join(' ').trimEnd()
}

t.test('replayed from empty it gives the zone at every serial', async t => {
  const answer = await ann.get(`${path}?format=ndjson`)
  t.equal(answer.headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
  const entries = parsed(answer.text).toReversed()
  t.equal(entries[0]?.action, 'create')
  const lines = new Set<string>()
  const compared = new Set<number>()
  for (const { diff, serial, is_whole: isWhole } of entries) {
    if (!isWhole) t.fail('an entry is cut')
    apply(lines, diff)
    const picture = pictures.get(serial)
    if (picture === undefined) continue
    compared.add(serial)
    const found = [...lines].sort()
    if (found.join('\n') !== picture.lines.join('\n'))
      t.same(found, picture.lines, `serial ${serial}`)
  }
  t.equal(compared.size, pictures.size)
  t.ok(compared.size > changeCount / 2, `${compared.size} serials`)
  const roads = new Set(entries.map(({ actor }) => actor.road))
  t.same([...roads].sort(), ['import', 'powerdns', 'update', 'v1', 'v2'])
  const names = new Set(entries.map(({ actor }) => actor.user_name))
  t.same([...names].sort(), ['ann', 'bob', 'cleo', 'dan', null])
})

t.test('it shows the zone at any serial, and what has changed between two', async t => {
  const serials = [...pictures.keys()].sort((one, other) => one - other)
  const some = serials.filter((_, i) => i % Math.ceil(serials.length / 12) === 0)
  for (const serial of [...some, serials.at(-1) ?? 0]) {
    const { status, body } = await ann.get(`${path}/zone?at=${serial}`)
    t.match({ status, body }, { status: 200, body: { id: zone.id, serial } })
    const lines = body.recordsets.flatMap(({ name, ttl, type, records }: Listed) =>
      records.map(record => `${name} ${ttl ?? ''} IN ${type} ${serialLess(type, record)}`),
    )
    t.same([`$TTL ${body.ttl}`, ...lines].sort(), pictures.get(serial)?.lines)
    const file = await ann.with({ accept: 'text/dns' }).get(`${path}/zone?at=${serial}`)
    t.match(file.text, ` ${serial} `, 'the SOA of then')
  }
  for (const [i, from] of some.slice(0, -1).entries()) {
    const to = some[i + 1] ?? 0
    const lines = new Set(pictures.get(from)?.lines)
    const { status, text } = await ann.get(`${path}/difference?from=${from}&to=${to}`)
    t.equal(status, 200, text)
    apply(lines, text.split('\n').slice(0, -1))
    t.same([...lines].sort(), pictures.get(to)?.lines, `from ${from} to ${to}`)
  }
  t.match(await ann.get(`${path}/zone?at=7`), { status: 404, body: { type: 'not_found' } })
  t.match(await ann.get(`${path}/zone?at=2020-01-01`), { status: 404 })
  t.match(await ann.get(`${path}/zone`), { status: 400 })
  t.match(await ann.get(`${path}/difference?from=${serials.at(-1)}&to=${serials[0]}`), {
    status: 400,
  })
  t.equal((await stranger.get(`${path}/zone?at=${serials[0]}`)).status, 404)
  t.equal((await stranger.get(`${path}/difference?from=${serials[0]}`)).status, 404)
})

/** All pages, the first one at an address. */
async function pagesOf(first: string): Promise<readonly (readonly Entry[])[]> {
  const pages: (readonly Entry[])[] = []
  for (let next: string | undefined = first; next !== undefined; ) {
    const { body } = await ann.get(next)
    pages.push(body.history)
    next = body.links.next
  }
  return pages
}

t.test('pages give the same as the export, and filters what fits', async t => {
  const all = parsed((await ann.get(`${path}?format=ndjson`)).text)
  const pages = await pagesOf(`${path}?limit=37`)
  t.ok(pages.every(({ length }) => length <= 37))
  t.same(pages.flat(), all)
  const filtered = async (query: string) =>
    parsed((await ann.get(`${path}?format=ndjson&${query}`)).text).map(({ id }) => id)
  const idsOf = (fits: (entry: Entry) => boolean) => all.filter(fits).map(({ id }) => id)
  t.same(
    await filtered('actor=bob'),
    idsOf(({ actor }) => actor.user_name === 'bob'),
  )
  t.same(
    await filtered('actor=import'),
    idsOf(({ actor }) => actor.road === 'import'),
  )
  const named = (line: string) => /^.n7\./.test(line)
  t.same(
    await filtered('name=n7.*'),
    idsOf(({ diff }) => diff.some(named)),
  )
  t.same(await filtered('end=2020-01-01'), [])
  t.equal((await filtered('begin=2020-01-01')).length, all.length)
  t.match(await ann.get(`${path}?begin=soon`), { status: 400 })
  t.match(await ann.get(`${path}?marker=x`), { status: 400, body: { type: 'invalid_marker' } })
  t.match(await ann.get(`${path}?nonsense=x`), { status: 400 })
})

t.test('any change can be tried to be undone: what is in its way is named', async t => {
  const all = parsed((await ann.get(`${path}?format=ndjson`)).text)
  const counts = { allowed: 0, refused: 0 }
  const now = await changes.picture()
  const step = Math.ceil(all.length / 200)
  for (const { id, diff } of all.filter((_, i) => i % step === 0)) {
    const { status, body } = await ann.post(undo, { change: id, dry_run: true })
    if (status === 409) {
      counts.refused += 1
      const [, named = ''] =
        /^Changed again since then: (?:ttl|email|description|SOA|([^\s,]+ [^\s,]+))/.exec(
          body.message,
        ) ?? []
      const [name = '', type = ''] = named.split(' ')
      const isOfIt = (line: string) => line.slice(1).startsWith(name) && line.includes(` ${type} `)
      if (named !== '' && !diff.some(isOfIt)) t.fail(`${named} is not of ${diff}`)
    } else if (status === 200) counts.allowed += 1
    else if (status !== 400) t.fail(body.message)
  }
  t.ok(counts.allowed > 5 && counts.refused > 50, JSON.stringify(counts))
  t.same(await changes.picture(), now)
})

t.test('every change is undone, the last first', async t => {
  const all = parsed((await ann.get(`${path}?format=ndjson`)).text)
  let undone = 0
  for (const { id, serial, serial_before: before } of all) {
    const wanted = pictures.get(before ?? 0)
    if (serial === before || wanted === undefined) continue
    const { status, body } = await ann.post(undo, { change: id })
    if (status !== 200) {
      t.fail(`${id}: ${body.message}`)
      continue
    }
    undone += 1
    const { lines } = await changes.picture()
    if (lines.join('\n') !== wanted.lines.join('\n')) t.same(lines, wanted.lines, `${id}`)
  }
  t.equal(undone, pictures.size - 1)
})

t.test('a zone goes back to any serial as one change', async t => {
  const [last = 0] = [...pictures.keys()].toReversed()
  const first = Math.min(...pictures.keys())
  for (const serial of [last, first + 1, last - 100, first + 300, last]) {
    const wanted = pictures.get(serial)
    if (wanted === undefined) continue
    const before = await changes.picture()
    const shown = await ann.post(undo, { serial, dry_run: true })
    t.same(await changes.picture(), before)
    const { status, body } = await ann.post(undo, { serial })
    t.match({ status, body }, { status: 200, body: { serial_before: before.serial } })
    t.same((await changes.picture()).lines, wanted.lines)
    t.equal(shown.body.created.length, body.created.length)
  }
  t.match(await ann.post(undo, { serial: 7 }), { status: 404, body: { type: 'not_found' } })
  t.match(await ann.post(undo, { change: 1 }), { status: 404, body: { type: 'not_found' } })
  t.equal((await stranger.post(undo, { serial: last })).status, 404)
})

t.test('a recordset has its own history, also when it is gone', async t => {
  const recordsets = `/v2/zones/${zone.id}/recordsets`
  const row = { name: 'own', type: 'A', records: ['192.0.2.1'] }
  const { body } = await ann.post(recordsets, row)
  await ann.put(`${recordsets}/${body.id}`, { records: ['192.0.2.2'] })
  const elsewhere = await ann.get(`/v2/recordsets/${body.id}/history`)
  t.equal(elsewhere.status, 301)
  t.match(elsewhere.headers.get('location'), `${recordsets}/${body.id}/history`)
  await ann.delete(`${recordsets}/${body.id}`)
  const { history } = (await ann.get(`${recordsets}/${body.id}/history`)).body
  t.same(
    history.map(({ diff }: Entry) => diff),
    [
      ['-own.club.example.  IN A 192.0.2.2'],
      ['-own.club.example.  IN A 192.0.2.1', '+own.club.example.  IN A 192.0.2.2'],
      ['+own.club.example.  IN A 192.0.2.1'],
    ],
  )
})

t.test('others see nothing; administrators see all, and no secrets', async t => {
  t.equal((await stranger.get(path)).status, 404)
  t.equal((await stranger.get(`${path}?format=ndjson`)).status, 404)
  t.same((await stranger.get('/v2/history')).body.history, [])
  const user = { user: { name: 'frank', password: 'the-secret-of-frank' } }
  await server.admin.post('/identity/v3/users', user)
  const { body, text } = await server.admin.get('/v2/history?limit=5')
  t.match(body.history[0], {
    actor: { road: 'identity', user_name: 'admin', address: '127.0.0.1' },
    changes: [{ resource: 'users', action: 'create' }],
  })
  t.notMatch(text, /frank/)
  t.match(body.history[1].changes[0], { resource: 'zones', zone_name: 'club.example.' })
  const all = parsed((await server.admin.get('/v2/history?format=ndjson&name=n3.*')).text)
  const own = parsed((await ann.get(`${path}?format=ndjson&name=n3.*`)).text)
  t.same(
    all.map(({ id }) => id),
    own.map(({ id }) => id),
  )
})

t.test('a project sees the changes of all of its zones, also of deleted ones', async t => {
  type Commit = { id: number; changes: { zone_name: string; action: string; diff: string[] }[] }
  const own = parsed((await ann.get('/v2/history?format=ndjson')).text)
  const ofZone = parsed((await ann.get(`${path}?format=ndjson`)).text)
  t.same(
    own.map(({ id }) => id),
    ofZone.map(({ id }) => id),
    'it has one zone',
  )
  const pageOf = async (query: string): Promise<readonly Commit[]> =>
    (await stranger.get(`/v2/history?${query}`)).body.history
  const actionsOf = (page: readonly Commit[]) =>
    page.flatMap(({ changes }) =>
      changes.map(({ zone_name: name, action }) => `${action} ${name.split('.')[0]}`),
    )
  const isDeletion = (action: string) => action === 'delete one'
  for (const name of ['one.other.example.', 'two.other.example.']) {
    const { body } = await stranger.post('/v2/zones', { name, email: 'eve@example.com' })
    const row = { name: `www.${name}`, type: 'A', records: ['192.0.2.1'] }
    await stranger.post(`/v2/zones/${body.id}/recordsets`, row)
    if (!name.startsWith('one')) continue
    await stranger.delete(`/v2/zones/${body.id}`)
    // Its rows go in a commit of their own.
    const isGone = (page: readonly Commit[]) => actionsOf(page).filter(isDeletion).length === 2
    await until(() => pageOf('limit=100'), isGone)
  }
  await ann.patch(`/v2/zones/${zone.id}`, { description: 'not for eve' })
  const all = await pageOf('limit=100')
  const deletions = ['delete one', 'delete one']
  t.same(actionsOf(all), ['update two', 'create two', ...deletions, 'update one', 'create one'])
  t.match(all[0]?.changes[0]?.diff, ['+www.two.other.example.  IN A 192.0.2.1'])
  const first = await pageOf('limit=2')
  const rest = await pageOf(`limit=100&marker=${first.at(-1)?.id}`)
  t.same([...first, ...rest], all, 'in pages')
  t.equal((await pageOf('name=www.two.*')).length, 1)
})

t.test(
  'a commit that is too large to be read is listed, without its author and its lines',
  async t => {
    const text = `"${'x'.repeat(250)}" `.repeat(230)
    const lines = Array.from({ length: 160 }, (_, i) => `n${i} TXT ${text}`)
    const file = ['$ORIGIN large.example.', '@ SOA ns ops 1 7200 900 99999 60', ...lines].join('\n')
    const headers = { 'content-type': 'text/dns' }
    const sent = await ann.call('POST', '/v2/zones/tasks/imports', { body: file, headers })
    const task = await until(
      () => ann.get(`/v2/zones/tasks/imports/${sent.body.id}`),
      ({ body }) => body.status !== 'PENDING',
    )
    t.equal(task.body.status, 'COMPLETE', task.body.message)
    const large = task.body.zone_id
    await ann.patch(`/v2/zones/${large}`, { ttl: 77 })
    const { body } = await ann.get(`/v2/zones/${large}/history`)
    const [changed, imported] = body.history
    t.match(changed, { action: 'update', actor: { road: 'v2' }, diff: Array })
    t.match(imported, { actor: null, diff: null, is_whole: false })
  },
)

t.test('a page of long entries has fewer of them', async t => {
  const sent = { name: 'long.example.', email: 'ops@example.com' }
  const { body: long } = await ann.post('/v2/zones', sent)
  for (let i = 0; i < 48; i += 1) {
    const records = [`"${i}" ${`"${'x'.repeat(250)}" `.repeat(230).trim()}`]
    const made = await ann.post(`/v2/zones/${long.id}/recordsets`, {
      name: `n${i}`,
      type: 'TXT',
      records,
    })
    t.equal(made.status, 201)
  }
  const ofZone = `/v2/zones/${long.id}/history`
  const all = parsed((await ann.get(`${ofZone}?format=ndjson`)).text)
  const pages = await pagesOf(`${ofZone}?limit=max`)
  t.same(pages.flat(), all)
  t.ok((pages[0]?.length ?? 0) < 48)
})
