import t from 'tap'
import { Quotas } from '../../../src/service/rules/quotas.ts'
import {
  TransferCeiling,
  transferQuotaOf,
} from '../../../src/service/secondaries/transfer-limits.ts'
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

t.test('copies share one ceiling, and give back what they held', async t => {
  const ceiling = new TransferCeiling({ each: 100, all: 100 })
  const one = ceiling.open('one')
  const two = ceiling.open('two')
  t.ok(one.hold(60))
  t.notOk(two.hold(41))
  t.ok(two.hold(40))
  one.release()
  one.release()
  t.ok(two.hold(60))
  t.notOk(two.hold(1))
})

t.test('the copies of one project leave room for those of others', async t => {
  const ceiling = new TransferCeiling({ each: 100, all: 120 })
  const copies = [ceiling.open('one'), ceiling.open('one')] as const
  t.ok(copies[0].hold(60))
  t.ok(copies[1].hold(40))
  t.notOk(copies[1].hold(1))
  t.ok(ceiling.open('other').hold(20))
  copies[0].release()
  t.ok(copies[1].hold(60))
})
