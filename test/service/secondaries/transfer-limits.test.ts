import t from 'tap'
import { Quotas } from '../../../src/service/rules/quotas.ts'
import { transferQuotaOf } from '../../../src/service/secondaries/transfer-limits.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
import { newSecondary } from '../../helpers/secondary-zone.ts'

t.test('a transfer may bring what the project of its zone may have', async t => {
  const store = openMemoryStore({ clock: fakeClock() })
  const zone = newSecondary()
  t.strictSame(transferQuotaOf(store, zone), {
    maxRrsets: 500,
    maxRecords: 500,
    maxRrsetRecords: 20,
    maxOctets: 1024 * 1024,
  })
  const quotas = new Quotas({ store, knowsProjects: false })
  await quotas.set(zone.projectId, { zoneRecords: 10_000, zoneRecordsets: -1, recordsetRecords: 3 })
  t.strictSame(transferQuotaOf(store, zone), {
    maxRrsets: Number.POSITIVE_INFINITY,
    maxRecords: 10_000,
    maxRrsetRecords: 3,
    maxOctets: 20_480_000,
  })
  await quotas.set(zone.projectId, { zoneRecords: -1 })
  t.equal(transferQuotaOf(store, zone).maxOctets, Number.POSITIVE_INFINITY)
})
