import { once } from 'node:events'
import { get } from 'node:http'
import t from 'tap'
import type { ReadableFile } from '../../../src/durable/file-system.ts'
import { startRatingApi } from '../../helpers/rating-api.ts'
import { SimulatedDisk } from '../../helpers/simulated-disk.ts'
import { usage } from '../../helpers/usage.ts'

const header = 'begin,end,type,unit,qty,price,project_id,groupby,metadata'

t.test('an export has all points of a period, in the format asked for', async t => {
  const { api, services } = await startRatingApi(t)
  const points = Array.from({ length: 150 }, (_, i) => usage('2026-11-01T05', 'p1', `0.${i + 1}`))
  await services.points.write({
    origin: 'dns',
    points: [...points, usage('2026-10-31', 'p1', '1')],
  })
  const csv = await api.admin.get('/v2/dataframes/export')
  t.equal(csv.status, 200)
  t.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8')
  t.equal(
    csv.headers.get('content-disposition'),
    'attachment; filename="dataframes-20261101T000000Z-20261201T000000Z.csv"',
  )
  const lines = csv.text.split('\r\n')
  t.equal(lines[0], header)
  t.equal(lines.length, 1 + points.length + 1)
  const asked = [
    await api.admin.get('/v2/dataframes/export?format=ndjson'),
    await api.admin.with({ accept: 'application/x-ndjson' }).get('/v2/dataframes/export'),
  ]
  for (const { text, headers } of asked) {
    t.equal(headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
    const rows = text.trimEnd().split('\n')
    t.equal(rows.length, points.length)
    t.strictSame(JSON.parse(rows[0]!).qty, '0.1')
  }
})

t.test('an export takes the filters of the list, and shows a project its own', async t => {
  const { api, services } = await startRatingApi(t)
  const reader = await api.clientOf({ project: 'alpha', role: 'reader' })
  const own = api.store.find('projects', 'byName', 'default\nalpha')?.id ?? ''
  const points = [usage('2026-11-01T05', own, '1'), usage('2026-11-02T05', 'other', '2')]
  await services.points.write({ origin: 'dns', points })
  const countAs = async (client: typeof reader, query: string) => {
    const { text } = await client.get(`/v2/dataframes/export?format=ndjson&${query}`)
    return text.split('\n').length - 1
  }
  t.equal(await countAs(api.admin, ''), 2)
  t.equal(await countAs(api.admin, 'filters=project_id:other'), 1)
  t.equal(await countAs(api.admin, 'filters=type:dns.zone'), 0)
  t.equal(await countAs(api.admin, 'begin=20261102T000000Z'), 1)
  t.equal(await countAs(reader, ''), 1)
  t.equal(await countAs(reader, 'filters=project_id:other'), 1)
  t.match((await reader.get('/v2/dataframes/export')).text, `,${own},`)
  t.equal((await api.anonymous.get('/v2/dataframes/export')).status, 401)
})

t.test('an export that cannot be had is refused', async t => {
  const { api } = await startRatingApi(t)
  const cases = [
    ['format=xml', "Invalid format [xml]. Valid formats are ['csv', 'ndjson']."],
    ['limit=5', "extra keys not allowed (path: '['limit']')"],
    ['begin=soon', "expected dt_from_iso (path: '['begin']')"],
    ['filters=a', 'invalid key:value association a'],
  ] as const
  for (const [query, message] of cases) {
    const { status, body } = await api.admin.get(`/v2/dataframes/export?${query}`)
    t.strictSame([status, body], [400, { message }])
  }
  const json = await api.admin.with({ accept: 'application/json' }).get('/v2/dataframes/export')
  t.equal(json.status, 406)
  t.equal((await api.admin.post('/v2/dataframes/export', {})).status, 405)
})

/** Counts what is read, and tells when all files that were open are closed. */
class WatchedDisk extends SimulatedDisk {
  readCount = 0
  readonly #closed = Promise.withResolvers<void>()
  readonly closed = this.#closed.promise

  override async openToRead(path: string): Promise<ReadableFile> {
    const file = await super.openToRead(path)
    return {
      ...file,
      read: (at, length) => {
        this.readCount++
        return file.read(at, length)
      },
      close: async () => this.#closed.resolve(),
    }
  }
}

t.test('a client that goes away ends the reading', async t => {
  const disk = new WatchedDisk()
  const { api, services } = await startRatingApi(t, { files: disk })
  // More than sockets hold, in blocks that are read one after the other.
  const note = 'x'.repeat(20_000)
  const points = Array.from({ length: 1000 }, (_, i) =>
    usage('2026-11-01T05', 'p1', '1', { metadata: { note: `${i}${note}` } }),
  )
  await services.points.write({ origin: 'dns', points })
  await services.points.flush()
  disk.readCount = 0
  await (await api.admin.get('/v2/dataframes/export')).text
  const wholeCount = disk.readCount
  disk.readCount = 0
  const request = get(`${api.url}/v2/dataframes/export`, { headers: api.admin.headers })
  const [response] = await once(request, 'response')
  await once(response, 'readable')
  response.destroy()
  await disk.closed
  t.ok(disk.readCount > 0 && disk.readCount < wholeCount, `${disk.readCount} of ${wholeCount}`)
})
