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

function partsOf({ lines, description }: ZonePicture): Parts {
  const parts = new Map<string, string>([['description', description]])
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
  // However it went, all of it together is taken back too.
  t.equal((await users[0]?.post(`${path}/undo`, { serial: first }))?.status, 200)
  t.same(sorted(partsOf(await changes.picture())), sorted(partsAt.get(first) ?? new Map()))
})

/** Newest first. */
function entriesOf(text: string): Entry[] {
  return text.split('\n').flatMap(line => (line === '' ? [] : (JSON.parse(line) as Entry)))
}
