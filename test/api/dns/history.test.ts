import t from 'tap'
import { plain } from '../../../src/api/dialect.ts'
import { historyRoutes } from '../../../src/api/dns/history.ts'
import type { ZoneEntry } from '../../../src/service/history/zone-entry.ts'
import { startApi } from '../../helpers/api.ts'
import { recordsetRow, zoneRow } from '../../helpers/store-rows.ts'

const lineCount = 1001
const zone = zoneRow()

/** A commit that has added records. */
const entry: ZoneEntry = {
  ...{ lsn: 1, atMicros: 1, actor: undefined, zoneId: zone.id, before: zone, after: zone },
  recordsets: Array.from({ length: lineCount }, (_, i) => {
    return { before: undefined, after: recordsetRow({ name: `host${i}.${zone.name}` }) }
  }),
  shares: [],
}

t.test('an entry has 1,000 lines in a page, and all as lines of JSON', async t => {
  const history = {
    zoneOf: async () => zone,
    pageOfZone: async () => ({ entries: [entry], nextLsn: undefined }),
  }
  const routes = historyRoutes({ history, recordsets: {} } as never)
  const api = await startApi(t, { mounts: () => [{ base: '/v2', dialect: plain, routes }] })
  const path = `/v2/zones/${zone.id}/history`
  const [shown] = (await api.admin.get(path)).body.history
  t.equal(shown.diff.length, 1000)
  t.equal(shown.is_whole, false)
  const { text } = await api.admin.get(`${path}?format=ndjson`)
  const whole = JSON.parse(text)
  t.equal(whole.diff.length, lineCount)
  t.equal(whole.is_whole, true)
})
