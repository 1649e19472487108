import t from 'tap'
import type { ApiClient } from '../helpers/api-client.ts'
import { depth } from '../helpers/depth.ts'
import { Dice } from '../helpers/dice.ts'
import { RandomChanges, type ZonePicture } from '../helpers/random-changes.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

// Changes of a zone by four users over all roads, taken back in random order: what may be taken back, and what the zone is then,
// follows from nothing but the zone before and after the change.

const changeCount = 150 * depth

type Entry = { readonly id: number; readonly serial: number; readonly serial_before: number | null }

/** What a change replaces as a whole: each recordset, and the fields of the zone. */
type Parts = ReadonlyMap<string, string>

function partsOf({ lines, description, attributes }: ZonePicture): Parts {
  const parts = new Map([
    ['description', description],
    ['attributes', JSON.stringify(attributes)],
  ])
  for (const line of lines) {
    const [name = '', ttl = '', , type = '', ...rdata] = line.split(' ')
    if (name === '$TTL') parts.set(name, ttl)
    else if (type === 'SOA') {
      parts.set('SOA email', rdata[1] ?? '')
      parts.set('SOA timers', rdata.slice(2).join(' '))
    } else parts.set(`${name} ${type}`, `${parts.get(`${name} ${type}`) ?? ''}${line}\n`)
  }
  return parts
}

/** A zone with a change taken back; or why that is not possible. */
function takenBack(
  now: Parts,
  { before, after }: { readonly before: Parts; readonly after: Parts },
) {
  const touched = [...new Set([...before.keys(), ...after.keys()])].filter(
    key => before.get(key) !== after.get(key),
  )
  if (touched.length === 0) return 'bad_request'
  if (touched.some(key => now.get(key) !== after.get(key))) return 'conflict'
  const next = new Map(now)
  for (const key of touched) {
    const value = before.get(key)
    if (value === undefined) next.delete(key)
    else next.set(key, value)
  }
  return next
}

const sorted = (parts: Parts) => [...parts].sort(([one], [other]) => (one < other ? -1 : 1))

t.test('each change is taken back, in random order, or what is in its way is said', async t => {
  const server = await startWholeServer(t, { dataDirectory: serverFolder(t) })
  const projectId = await server.makeProject('club')
  await server.admin.patch(`/v2/quotas/${projectId}`, { zone_recordsets: -1, zone_records: -1 })
  const users: ApiClient[] = []
  for (const name of ['ann', 'bob', 'cleo', 'dan']) {
    const account = await server.makeAccount({ name, projectId, role: 'member' })
    users.push(server.bearer(await server.login(account)))
  }
  const dice = new Dice(815)
  const { zone, changes } = await RandomChanges.begin(server, users, 815)
  const partsAt = new Map<number, Parts>()
  const keep = async () => {
    const picture = await changes.picture()
    partsAt.set(picture.serial, partsOf(picture))
    return picture
  }
  let { serial } = await keep()
  const first = serial
  for (let i = 0; i < changeCount; i += 1) {
    await changes.make()
    serial = (await keep()).serial
  }
  const path = `/v2/zones/${zone.id}`
  const undone = { 200: 0, 400: 0, 409: 0 }
  const waiting = entriesOf((await dice.pick(users).get(`${path}/history?format=ndjson`)).text)
  while (waiting.length > 0) {
    // From among the latest, as most others are in the way of each other.
    const at = dice.below(Math.min(waiting.length, 20))
    const [entry] = waiting.splice(at, 1)
    // The rules for updates have no part in the serial; of them is the next test.
    if (entry?.serial === entry?.serial_before) continue
    const [before, after] = [entry?.serial_before, entry?.serial].map(it => partsAt.get(it ?? 0))
    const now = partsAt.get(serial)
    if (entry === undefined || before === undefined || after === undefined || now === undefined)
      continue
    const wanted = takenBack(now, { before, after })
    const { status, body } = await dice.pick(users).post(`${path}/undo`, { change: entry.id })
    if (status === 200 || status === 400 || status === 409) undone[status] += 1
    if (typeof wanted === 'string') t.equal(body.type, wanted, `${entry.id}`)
    else t.equal(status, 200, `${entry.id}: ${body.message}`)
    serial = (await keep()).serial
    const expected = typeof wanted === 'string' ? now : wanted
    t.same(sorted(partsAt.get(serial) ?? new Map()), sorted(expected), `${entry.id}`)
  }
  t.ok(undone[200] > changeCount / 20, `${undone[200]} taken back`)
  t.ok(undone[409] > changeCount / 20, `${undone[409]} in the way of each other`)
  // However it went, all of it together is taken back too, but what is no content.
  const { attributes } = await changes.picture()
  t.equal((await users[0]?.post(`${path}/undo`, { serial: first }))?.status, 200)
  const wanted = new Map([
    ...(partsAt.get(first) ?? new Map()),
    ['attributes', JSON.stringify(attributes)],
  ])
  t.same(sorted(partsOf(await changes.picture())), sorted(wanted))
})

t.test('masters, update rules, the pool and the shares of a zone are taken back', async t => {
  const server = await startWholeServer(t, { dataDirectory: serverFolder(t) })
  const { admin } = server
  const [friend, former] = [await server.makeProject('friend'), await server.makeProject('former')]
  const ns_records = [{ hostname: 'ns.other.example.', priority: 1 }]
  const pool = (await admin.post('/v2/pools', { name: 'other', ns_records })).body
  const soaOf = (name: string) => ({ name, email: 'a@example.net' })
  const primary = (await admin.post('/v2/zones', soaOf('club.example.'))).body
  const masters = ['127.0.0.1:1']
  const copy = { name: 'copy.example.', type: 'SECONDARY', masters }
  const secondary = (await admin.post('/v2/zones', copy)).body
  const rules = [{ addresses: ['127.0.0.0/8'], match: 'zone' }]
  const zonePath = `/v2/zones/${primary.id}`
  const shown = async (path: string, field: string) => (await admin.get(path)).body[field]
  const sharesPath = `${zonePath}/shares`
  const share = (target_project_id: string) => admin.post(sharesPath, { target_project_id })
  const formerShare = (await share(former)).body.id
  const sharedWith = async () => {
    const shares: { target_project_id: string }[] = await shown(sharesPath, 'shared_zones')
    return shares.map(({ target_project_id }) => target_project_id).sort()
  }
  const changes = [
    {
      zone: secondary.id,
      make: () => admin.patch(`/v2/zones/${secondary.id}`, { masters: ['127.0.0.1:2'] }),
      now: () => shown(`/v2/zones/${secondary.id}`, 'masters'),
    },
    {
      zone: primary.id,
      make: () => admin.put(`${zonePath}/update_policy`, { rules }),
      now: () => shown(`${zonePath}/update_policy`, 'rules'),
    },
    {
      zone: primary.id,
      make: () => admin.post(`${zonePath}/tasks/pool_move`, { pool_id: pool.id }),
      now: () => shown(zonePath, 'pool_id'),
    },
    { zone: primary.id, make: () => share(friend), now: sharedWith },
    {
      zone: primary.id,
      make: () => admin.delete(`${sharesPath}/${formerShare}`),
      now: sharedWith,
    },
  ]
  for (const { zone, make, now } of changes) {
    const before = await now()
    t.ok((await make()).status < 300)
    const after = await now()
    t.notSame(after, before)
    const [entry] = (await admin.get(`/v2/zones/${zone}/history?limit=1`)).body.history
    const [field] = entry.fields
    if (field.name !== 'shared_with')
      t.same(field.after, after, 'the history has it as it is shown')
    const undo = { change: entry.id }
    t.equal((await admin.post(`/v2/zones/${zone}/undo`, { ...undo, dry_run: true })).status, 200)
    t.same(await now(), after, 'a dry run changes nothing')
    t.equal((await admin.post(`/v2/zones/${zone}/undo`, undo)).status, 200)
    t.same(await now(), before)
    const again = await admin.post(`/v2/zones/${zone}/undo`, undo)
    t.match([again.status, again.body.message], [409, /^Changed again since then: /])
  }
  const records = (await admin.get(`${zonePath}/recordsets?type=NS`)).body.recordsets[0].records
  t.notMatch(records, ['ns.other.example.'], 'the apex is that of the pool again')
})

/** Newest first. */
function entriesOf(text: string): Entry[] {
  return text.split('\n').flatMap(line => (line === '' ? [] : (JSON.parse(line) as Entry)))
}
