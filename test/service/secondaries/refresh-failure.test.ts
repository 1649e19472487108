import t from 'tap'
import {
  ownFailure,
  refreshFailure,
  uniformReason,
} from '../../../src/service/secondaries/refresh-failure.ts'
import type { TransferFailureKind } from '../../../src/zone/transfer-response.ts'

const masterFailure = (kind: TransferFailureKind, reason = 'exactly so', master = '192.0.2.1') => ({
  master,
  failure: { kind, reason },
})

t.test('what a connection met looks the same to a project, whatever it was', async t => {
  const kinds = [
    'refused-address',
    'unreachable',
    'silent',
    'closed',
    'malformed',
    'mismatched',
  ] as const
  const told = kinds.map(kind => refreshFailure([masterFailure(kind, `for ${kind}`)]).told)
  t.strictSame(new Set(told), new Set([`192.0.2.1: ${uniformReason}`]))
  t.equal(refreshFailure([masterFailure('closed')]).reason, '192.0.2.1: exactly so')
})

t.test('what a name server has answered is told to everybody', async t => {
  const kinds = ['refused', 'not-authoritative', 'unsound', 'behind', 'over-quota'] as const
  for (const kind of kinds)
    t.equal(refreshFailure([masterFailure(kind)]).told, '192.0.2.1: exactly so')
})

t.test('all masters are in it, up to a length', async t => {
  const two = [masterFailure('refused', 'no'), masterFailure('behind', 'old', '192.0.2.2:5300')]
  t.match(refreshFailure(two), {
    reason: '192.0.2.1: no; 192.0.2.2:5300: old',
    isOverQuota: false,
    hasWastedTime: false,
  })
  t.match(refreshFailure([...two, masterFailure('over-quota')]), { isOverQuota: true })
  t.match(refreshFailure([...two, masterFailure('silent')]), { hasWastedTime: true })
  t.equal(refreshFailure([masterFailure('refused', 'x'.repeat(2000))]).reason.length, 1000)
})

t.test('a failure of this server is reported as it is', async t => {
  t.match(ownFailure('an internal error'), {
    reason: 'an internal error',
    told: 'an internal error',
  })
})
