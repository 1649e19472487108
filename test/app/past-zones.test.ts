import t from 'tap'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

// A zone whose changes are larger than what the history shows of one, as it was before and after each of them.

const server = await startWholeServer(t, {
  dataDirectory: serverFolder(t),
  environment: { ZONEWRIGHT_EVENT_HISTORY_MIB: '256' },
})
const projectId = await server.makeProject('club')
await server.admin.patch(`/v2/quotas/${projectId}`, { zone_recordsets: -1, zone_records: -1 })
const account = await server.makeAccount({ name: 'ann', projectId, role: 'member' })
const client = server.bearer(await server.login(account))

const names = Array.from({ length: 1_300 }, (_, i) => `n${i}`)
const text = (letter: string) => `"${letter.repeat(200)}" `.repeat(20).trim()
/** A file of five megabytes: what replaces it has ten in the log. */
const fileOf = (letter: string, serial: number) =>
  [
    '$ORIGIN large.example.',
    '$TTL 3600',
    `@ SOA ns1.zonewright.example. ops.example.com. ${serial} 3600 600 86400 300`,
    ...names.map(name => `${name} TXT ${text(letter)}`),
  ].join('\n')

async function importFile(letter: string, serial: number): Promise<string> {
  const imports = '/v2/zones/tasks/imports'
  const headers = { 'content-type': 'text/dns' }
  const body = fileOf(letter, serial)
  const { id } = (await client.call('POST', `${imports}?replace=true`, { body, headers })).body
  const state = async () => (await client.get(`${imports}/${id}`)).body
  const done = await until(state, ({ status }) => status !== 'PENDING')
  const { status, message, zone_id: zoneId } = done
  if (status !== 'COMPLETE') throw new Error(message)
  return zoneId
}

/** How many recordsets a zone file has of each letter. */
function counted(file: string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const [, letter = ''] of file.matchAll(/TXT "(.)/g))
    counts[letter] = (counts[letter] ?? 0) + 1
  return counts
}

t.test('changes of ten megabytes are shown and compared', async t => {
  const zoneId = await importFile('a', 1_795_000_001)
  await importFile('b', 1_795_000_002)
  const path = `/v2/zones/${zoneId}`
  await client.post(`${path}/recordsets`, { name: 'last', type: 'TXT', records: ['"c"'] })
  const history = `${path}/history`
  const entries = (await client.get(history)).body.history
  t.equal(entries[1].diff, null, 'too large for an entry of the history')
  const file = async (at: unknown) =>
    counted((await client.with({ accept: 'text/dns' }).get(`${history}/zone?at=${at}`)).text)
  const { length } = names
  t.same(await file(1_795_000_001), { a: length })
  t.same(await file(1_795_000_002), { b: length })
  const now = (await client.get(path)).body
  t.same(await file(now.serial), { b: length, c: 1 })
  t.same(await file(entries[1].created_at), { b: length })
  const { body } = await client.get(`${history}/zone?at=1795000001`)
  t.equal(body.recordsets.length, length + 2)

  const difference = async (query: string) =>
    (await client.get(`${history}/difference?${query}`)).text.split('\n').slice(0, -1)
  const lines = await difference('from=1795000001')
  t.equal(lines.length, 2 * length + 1)
  t.same(counted(lines.filter(line => line.startsWith('-')).join('\n')), { a: length })
  t.same(counted(lines.filter(line => line.startsWith('+')).join('\n')), { b: length, c: 1 })
  t.equal((await difference('from=1795000001&to=1795000002')).length, 2 * length)
  t.equal((await difference(`from=1795000002&to=${now.serial}`)).length, 1)
  t.same(await difference(`from=${now.serial}`), [])

  // All of it comes back, and can be looked at while it is gone.
  await client.delete(path)
  await until(
    () => client.get(path),
    ({ status }) => status === 404,
  )
  t.same(await file(1_795_000_001), { a: length })
  t.equal((await client.get(`${history}?limit=1`)).body.history[0].action, 'delete')
  t.equal((await client.post(`/v2/deleted_zones/${zoneId}/restore`)).status, 200)
  const restored = (await client.get(path)).body
  t.same(await file(restored.serial), { b: length, c: 1 })
  t.same(await file(1_795_000_002), { b: length })
  t.match(await client.get(`${history}/difference?from=1795000002`), { status: 400 })
})
