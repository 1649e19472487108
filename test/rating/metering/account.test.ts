import t from 'tap'
import { Account, isSameOwner } from '../../../src/rating/metering/account.ts'
import {
  beginOf,
  hourMillis,
  hourOf,
  recordsetMillisAt,
  zoneMillisAt,
} from '../../../src/rating/metering/tally.ts'
import { ownerOf } from '../../helpers/metered-zones.ts'
import { at } from '../../helpers/usage.ts'

const noon = at('2026-11-21T12') * 1000
const hour = hourOf(noon)
const minutes = (count: number) => count * 60_000

function times(account: Account, ofHour: number): readonly (number | undefined)[] {
  const tally = account.tallyOf(ofHour)
  return [tally?.[zoneMillisAt], tally?.[recordsetMillisAt]]
}

t.test('time is split at the hours and weighted by recordsets', async t => {
  const account = Account.open(ownerOf('a'), noon + minutes(45), 10)
  account.advance(noon + minutes(75))
  t.same(times(account, hour), [minutes(15), minutes(150)])
  t.same(times(account, hour + 1), [minutes(15), minutes(150)])
  account.setRecordsetCount(1, noon + minutes(90))
  account.close(noon + minutes(100))
  t.same(times(account, hour + 1), [minutes(40), minutes(310)])
  account.advance(noon + 5 * hourMillis)
  t.same(times(account, hour + 1), [minutes(40), minutes(310)], 'no time passes when it is closed')
})

t.test('time that is over is not added again', async t => {
  const account = Account.open(ownerOf('a'), noon + minutes(30), 1)
  account.advance(noon)
  account.skipTo(noon)
  account.advance(noon + minutes(31))
  t.same(times(account, hour), [minutes(1), minutes(1)])
  account.skipTo(beginOf(hour + 2))
  account.advance(beginOf(hour + 2) + 1)
  t.same(times(account, hour + 1), [undefined, undefined])
  t.same(times(account, hour + 2), [1, 1])
})

t.test(
  'answers are booked in the hour reached, and never before the first that is open',
  async t => {
    const account = Account.open(ownerOf('a'), noon, 0)
    account.count(0, 5, hour)
    account.count(0, 1, hour)
    account.count(0, 7, hour + 1)
    t.equal(account.tallyOf(hour)?.[0], 6)
    t.equal(account.tallyOf(hour + 1)?.[0], 7)
    account.forget(hour)
    t.notOk(account.isEmpty)
    account.forget(hour + 1)
    t.ok(account.isEmpty)
  },
)

t.test('an account is one owner’s', async t => {
  const owner = ownerOf('a')
  t.ok(isSameOwner(owner, { ...owner }))
  for (const key of Object.keys(owner))
    t.notOk(isSameOwner(owner, { ...owner, [key]: 'other' }), key)
})

t.test('an owner is shared only where it is the same', async t => {
  const account = Account.open(ownerOf('a'), noon, 1)
  const same = { ...ownerOf('a') }
  account.shareOwner(ownerOf('b'))
  t.same(account.owner, ownerOf('a'))
  account.shareOwner(same)
  t.equal(account.owner, same)
})
