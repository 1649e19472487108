import t from 'tap'
import { defaultQuotas, quotaNames } from '../../src/model/quota.ts'

t.test('quotas are Designate’s, by its names and with its defaults', async t => {
  const named = Object.entries(quotaNames).map(([name, spelled]) => [
    spelled,
    defaultQuotas[name as keyof typeof quotaNames],
  ])
  t.same(Object.fromEntries(named), {
    zones: 10,
    signed_zones: -1,
    zone_recordsets: 500,
    zone_records: 500,
    recordset_records: 20,
    api_export_size: 1000,
    history_days: -1,
    deleted_zone_days: -1,
  })
})
