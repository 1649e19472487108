import t from 'tap'
import { startDnsApi } from '../../helpers/dns-api.ts'

const { api } = await startDnsApi(t)
const one = await api.clientOf({ project: 'one' })
const lost = { status: 412, body: { type: 'precondition_failed' } }

type Answer = Awaited<ReturnType<typeof one.get>>

const tagOf = ({ headers }: Pick<Answer, 'headers'>) => headers.get('etag') ?? ''
const ifMatch = (...tags: string[]) => one.with({ 'if-match': tags.join(', ') })
const ifNoneMatch = (...tags: string[]) => one.with({ 'if-none-match': tags.join(', ') })

let zoneCount = 0

/** Creates a zone with one recordset. */
async function newZone() {
  zoneCount += 1
  const draft = { name: `zone-${zoneCount}.example.`, email: 'ops@example.com' }
  const created = await one.post('/v2/zones', draft)
  const path = `/v2/zones/${created.body.id}`
  const www = { name: 'www', type: 'A', ttl: 60, records: ['192.0.2.1'] }
  const made = await one.post(`${path}/recordsets`, www)
  return { created, path, made, recordset: `${path}/recordsets/${made.body.id}` }
}

t.test('the tag of an object is that of GET, whichever answer shows it', async t => {
  const { created, path, made, recordset } = await newZone()
  t.match(tagOf(created), /^"[^"]+"$/)
  t.equal(tagOf(await one.get(recordset)), tagOf(made))
  const patched = await one.patch(path, { ttl: 60 })
  t.equal(tagOf(await one.get(path)), tagOf(patched))
  const put = await one.put(recordset, { ttl: 90 })
  t.equal(tagOf(await one.get(recordset)), tagOf(put))
  t.equal(new Set([created, made, patched, put].map(tagOf)).size, 4)
})

t.test('the tag changes with what is shown beside the row', async t => {
  const { path } = await newZone()
  await api.clientOf({ project: 'two' })
  const before = await one.get(path)
  t.equal((await one.post(`${path}/shares`, { target_project_id: 'two' })).status, 201)
  const after = await one.get(path)
  t.same(after.body, { ...before.body, shared: true })
  t.not(tagOf(after), tagOf(before))
  t.equal((await ifMatch(tagOf(before)).patch(path, { ttl: 60 })).status, 200)
})

t.test('If-None-Match: 304 without a body for what is known, whether weak or strong', async t => {
  const { path, recordset } = await newZone()
  for (const shown of [path, recordset]) {
    const tag = tagOf(await one.get(shown))
    for (const known of ['*', tag, `W/${tag}`, `"a, b",${tag}`]) {
      const answer = await ifNoneMatch(known).get(shown)
      t.match(answer, { status: 304, text: '' }, known)
      t.equal(tagOf(answer), tag)
      t.equal(answer.headers.get('content-length'), null)
    }
    t.match(await ifNoneMatch('"another"').get(shown), { status: 200, body: { version: Number } })
  }
  const tag = tagOf(await one.get(recordset))
  await one.put(recordset, { ttl: 90 })
  t.match(await ifNoneMatch(tag).get(recordset), { status: 200, body: { ttl: 90 } })
})

t.test('If-Match: any of several tags, or *; weak, other and malformed ones never', async t => {
  const { path, made, recordset } = await newZone()
  for (const shown of [path, recordset]) {
    const before = await one.get(shown)
    const tag = tagOf(before)
    const other = tagOf(shown === path ? made : await one.get(path))
    for (const wrong of [`W/${tag}`, other, '"another"', '""', '', tag.slice(1, -1), `x${tag}`]) {
      t.match(await ifMatch(wrong).patch(shown, { ttl: 7 }), lost, wrong)
      t.match(await ifMatch(wrong).delete(shown), lost, wrong)
    }
    t.same((await one.get(shown)).body, before.body)
    t.equal((await ifMatch('"a, b"', other, tag).patch(shown, { ttl: 7 })).status, 200)
    t.equal((await ifMatch('*').patch(shown, { ttl: 8 })).status, 200)
  }
})

t.test('an object that is sent back as a whole is stale, not wrong', async t => {
  const { path, recordset } = await newZone()
  for (const shown of [path, recordset]) {
    const old = await one.get(shown)
    await one.patch(shown, { ttl: 90 })
    t.match(await ifMatch(tagOf(old)).patch(shown, old.body), lost)
    const fresh = await one.get(shown)
    t.equal((await ifMatch(tagOf(fresh)).patch(shown, fresh.body)).status, 200)
  }
})

t.test('DELETE of what has changed is refused, of what has not is done', async t => {
  const { path, recordset } = await newZone()
  for (const shown of [recordset, path]) {
    const old = tagOf(await one.get(shown))
    const fresh = tagOf(await one.patch(shown, { ttl: 90 }))
    t.match(await ifMatch(old).delete(shown), lost)
    t.equal((await one.get(shown)).status, 200)
    t.ok((await ifMatch(fresh).delete(shown)).status < 300)
    t.match(await ifMatch('*').delete(shown), { status: 404 })
  }
})

t.test('a change set is bound to the tag of its zone, also one judged in slices', async t => {
  const { path } = await newZone()
  for (const count of [1, 150]) {
    const create = Array.from({ length: count }, (_, i) => {
      return { name: `of-${count}-${i}`, type: 'A', records: ['192.0.2.1'] }
    })
    const old = tagOf(await one.get(path))
    await one.patch(path, { description: `before ${count}` })
    const before = await one.get(path)
    t.match(await ifMatch(old).post(`${path}/changes`, { create }), lost)
    t.match(await ifMatch(old).post(`${path}/changes`, { create, dry_run: true }), lost)
    t.same((await one.get(path)).body, before.body)
    t.equal((await ifMatch(tagOf(before)).post(`${path}/changes`, { create })).status, 200)
  }
})

t.test('of clients who change what they have all seen, one wins', async t => {
  const { path, recordset } = await newZone()
  const statusesOf = async (answers: readonly Promise<Answer>[]) =>
    (await Promise.all(answers)).map(({ status }) => status).sort()
  const seen = ifMatch(tagOf(await one.get(recordset)))
  const ttls = [100, 200, 300]
  const puts = ttls.map(ttl => seen.put(recordset, { ttl }))
  t.same(await statusesOf(puts), [200, 412, 412])
  const [winner] = (await Promise.all(puts)).filter(({ status }) => status === 200)
  t.same((await one.get(recordset)).body, winner?.body)
  const seenZone = ifMatch(tagOf(await one.get(path)))
  const set = { replace: [{ name: 'www', type: 'A', ttl: 400 }] }
  const ofZone = [
    seenZone.post(`${path}/changes`, set),
    seenZone.patch(path, { ttl: 500 }),
    seenZone.post(`${path}/changes`, set),
  ]
  t.same(await statusesOf(ofZone), [200, 412, 412])
})

t.test('clients who change different recordsets do not get in each other’s way', async t => {
  const { path, made, recordset } = await newZone()
  const draft = { name: 'ftp', type: 'A', records: ['192.0.2.1'] }
  const other = await one.post(`${path}/recordsets`, draft)
  const answers = await Promise.all([
    ifMatch(tagOf(made)).put(recordset, { ttl: 100 }),
    ifMatch(tagOf(other)).put(`${path}/recordsets/${other.body.id}`, { ttl: 100 }),
  ])
  t.same(
    answers.map(({ status }) => status),
    [200, 200],
  )
})
