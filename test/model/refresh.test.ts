import t from 'tap'
import {
  afterFailure,
  afterRefresh,
  defaultRefreshBounds as bounds,
  dueAtOnce,
  expiresAtOf,
  isExpiryDue,
  isHeldBack,
  isRefreshDue,
  knownSerial,
  longerLife,
  whileReplacing,
} from '../../src/model/refresh.ts'
import type { SoaTimers, Zone } from '../../src/model/zone.ts'
import { newSecondary } from '../helpers/secondary-zone.ts'

const second = 1e6
const timers: SoaTimers = {
  refreshSeconds: 3600,
  retrySeconds: 600,
  expireSeconds: 86_400,
  minimumSeconds: 60,
}

const gone = { reason: 'gone', told: 'no zone', isOverQuota: false, hasWastedTime: false }

function moment(atSeconds: number, random = 0) {
  return { atMicros: atSeconds * second, random, bounds }
}

/** A zone whose copy was last compared with its master's at `atSeconds`. */
function refreshedAt(atSeconds: number, changes: Partial<Zone> = {}): Zone {
  const soaTimers = changes.soaTimers ?? timers
  return newSecondary({
    transferredAt: 1,
    soaTimers,
    transfer: afterRefresh(soaTimers, moment(atSeconds)),
    ...changes,
  })
}

t.test(
  'a new zone is due at once; one without masters, being deleted or PRIMARY never',
  async t => {
    const now = { atMicros: 0, bounds }
    t.ok(isRefreshDue(newSecondary(), now))
    t.notOk(isRefreshDue(newSecondary({ masters: [] }), now))
    t.notOk(isRefreshDue(newSecondary({ isDeleting: true }), now))
    t.notOk(isRefreshDue(newSecondary({ type: 'PRIMARY' }), now))
  },
)

t.test('after a success the next is due after SOA refresh', async t => {
  const zone = refreshedAt(1000)
  t.notOk(isRefreshDue(zone, moment(1000 + 3599)))
  t.ok(isRefreshDue(zone, moment(1000 + 3600)))
  t.match(zone.transfer, { refreshedAt: 1000 * second, failureCount: 0, failure: null })
})

t.test('after a failure the next is due after SOA retry, and the copy keeps its age', async t => {
  const zone = refreshedAt(1000)
  const state = afterFailure(zone, gone, moment(5000))
  t.strictSame(state, {
    refreshedAt: 1000 * second,
    nextRefreshAt: 5600 * second,
    failureCount: 1,
    failure: 'gone',
    told: 'no zone',
    isOverQuota: false,
    heldUntil: 0,
    isExpired: false,
    isReplacing: false,
  })
  t.equal(afterFailure({ ...zone, transfer: state }, gone, moment(6000)).failureCount, 2)
})

t.test('before the first copy the waits double, up to a bound', async t => {
  let zone = newSecondary()
  const waits: number[] = []
  for (let i = 0; i < 9; i += 1) {
    const transfer = afterFailure(zone, gone, moment(0))
    waits.push(transfer.nextRefreshAt / second)
    zone = { ...zone, transfer }
  }
  t.strictSame(waits, [15, 30, 60, 120, 240, 480, 900, 900, 900])
})

t.test('timers of a SOA count only within bounds: no tight loop and no never', async t => {
  const rows: readonly [soaSeconds: number, refresh: number, retry: number][] = [
    [0, 60, 30],
    [0xffff_ffff, 28 * 86_400, 86_400],
  ]
  for (const [seconds, refresh, retry] of rows) {
    const soaTimers = { ...timers, refreshSeconds: seconds, retrySeconds: seconds }
    const zone = refreshedAt(0, { soaTimers })
    t.equal(zone.transfer?.nextRefreshAt, refresh * second)
    t.equal(afterFailure(zone, gone, moment(0)).nextRefreshAt, retry * second)
  }
})

t.test('chance shortens a wait by a tenth at most', async t => {
  t.equal(afterRefresh(timers, moment(0, 0.5)).nextRefreshAt, 3600 * 0.95 * second)
  const most = afterRefresh(timers, moment(0, 0.999_999)).nextRefreshAt
  t.ok(most >= 3600 * 0.9 * second)
})

t.test('a copy expires SOA expire after the last contact (RFC 1034 4.3.5), once', async t => {
  const zone = refreshedAt(1000)
  t.notOk(isExpiryDue(zone, moment(1000 + 86_399)))
  t.ok(isExpiryDue(zone, moment(1000 + 86_400)))
  const expired = { ...zone, transfer: { ...zone.transfer!, isExpired: true } }
  t.notOk(isExpiryDue(expired, moment(1000 + 86_400)))
  t.notOk(isExpiryDue(newSecondary(), moment(1e9)), 'there is nothing that could expire')
})

t.test('an expire below refresh and two retries counts as their sum (RFC 1912 2.2)', async t => {
  const zone = refreshedAt(0, { soaTimers: { ...timers, expireSeconds: 0 } })
  t.notOk(isExpiryDue(zone, moment(4799)))
  t.ok(isExpiryDue(zone, moment(4800)))
})

t.test('short timers: no copy expires before the refresh and retries that are kept', async t => {
  const soaTimers = { ...timers, refreshSeconds: 10, retrySeconds: 10, expireSeconds: 30 }
  const zone = refreshedAt(0, { soaTimers })
  t.ok(isRefreshDue(zone, moment(60)))
  t.notOk(isExpiryDue(zone, moment(119)))
  t.ok(isExpiryDue(zone, moment(120)))
  const of = (expireSeconds: number) =>
    refreshedAt(0, { soaTimers, transfer: afterRefresh(soaTimers, moment(0), { expireSeconds }) })
  t.equal(expiresAtOf(of(30), bounds), 120 * second, 'a primary with EXPIRE (RFC 7314)')
  t.equal(expiresAtOf(of(20), bounds), 110 * second, 'a secondary that asked 10 seconds ago')
})

t.test('a clock that was put back does not stop refreshing', async t => {
  const zone = refreshedAt(1e9)
  t.notOk(isRefreshDue(zone, moment(1e9 - 86_400)))
  t.ok(isRefreshDue(zone, moment(1e9 - 40 * 86_400)))
})

t.test('a serial is known of a whole copy only; one that was cut short is due at once', async t => {
  const zone = refreshedAt(1000, { serial: 7 })
  t.equal(knownSerial(newSecondary()), undefined)
  t.equal(knownSerial(zone), 7)
  const replacing = { ...zone, transfer: whileReplacing(zone, 2000 * second) }
  t.equal(knownSerial(replacing), undefined)
  t.ok(isRefreshDue(replacing, moment(2000)))
  t.ok(afterFailure(replacing, gone, moment(2000)).isReplacing)
  t.notOk(afterRefresh(timers, moment(2000)).isReplacing)
})

t.test('other masters are asked at once, and the copy keeps its age and its verdict', async t => {
  const failed = afterFailure(refreshedAt(1000), gone, moment(2000))
  t.strictSame(dueAtOnce({ ...failed, isExpired: true, isReplacing: true }, 3000 * second), {
    refreshedAt: 1000 * second,
    nextRefreshAt: 3000 * second,
    failureCount: 0,
    failure: null,
    isExpired: true,
    isReplacing: true,
  })
  t.equal(dueAtOnce(undefined, 5).nextRefreshAt, 5)
})

t.test('masters that waste time wait ever longer, up to an hour, also for a NOTIFY', async t => {
  let zone = newSecondary()
  const holds: number[] = []
  for (let i = 0; i < 9; i += 1) {
    const transfer = afterFailure(zone, { ...gone, hasWastedTime: true }, moment(0))
    zone = { ...zone, transfer }
    const seconds = (transfer.heldUntil ?? 0) / second
    holds.push(seconds)
    t.ok(transfer.nextRefreshAt >= seconds * second)
    t.ok(isHeldBack(zone, moment(seconds - 1)))
    t.notOk(isHeldBack(zone, moment(seconds)))
  }
  t.strictSame(holds, [30, 60, 120, 240, 480, 960, 1920, 3600, 3600])
  t.notOk(isHeldBack({ ...zone, transfer: afterFailure(zone, gone, moment(0)) }, moment(1)))
  t.notOk(isHeldBack({ ...zone, transfer: afterRefresh(timers, moment(0)) }, moment(1)))
  t.notOk(isHeldBack({ ...zone, transfer: dueAtOnce(zone.transfer, 0) }, moment(1)))
  t.notOk(isHeldBack(zone, moment(-1e6)), 'the clock was put back')
})

t.test(
  'a copy is good for as long as its master says (RFC 7314), and no longer than its SOA',
  async t => {
    const at = (expireSeconds: number) =>
      refreshedAt(1000, { transfer: afterRefresh(timers, moment(1000), { expireSeconds }) })
    t.equal(expiresAtOf(at(100)), 1100 * second)
    t.notOk(isExpiryDue(at(100), moment(1099)))
    t.ok(isExpiryDue(at(100), moment(1100)))
    t.equal(expiresAtOf(at(1e9)), (1000 + 86_400) * second)
    t.equal(expiresAtOf(refreshedAt(1000)), (1000 + 86_400) * second)
    t.equal(expiresAtOf(newSecondary()), undefined)
    t.equal(dueAtOnce(at(100).transfer, 0).expireSeconds, 100)
  },
)

t.test('a master that has the same makes its life longer, and not shorter', async t => {
  const zone = refreshedAt(1000, {
    transfer: afterRefresh(timers, moment(1000), { expireSeconds: 500 }),
  })
  t.equal(longerLife(zone, 100, 1100 * second), 400)
  t.equal(longerLife(zone, 450, 1100 * second), 450)
  t.equal(longerLife(zone, 100, 9000 * second), 100)
  t.equal(longerLife(zone, undefined, 1100 * second), undefined)
})
