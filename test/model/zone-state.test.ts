import t from 'tap'
import { newTransferState, type Zone } from '../../src/model/zone.ts'
import { recordsetState, type TargetReport, zoneState } from '../../src/model/zone-state.ts'
import { newSecondary } from '../helpers/secondary-zone.ts'

const zone: Zone = newSecondary({ type: 'PRIMARY', serial: 10, transferredAt: null })
const copied = newSecondary({ serial: 10, transferredAt: 1 })
const failing = { ...newTransferState(0), failure: 'refused', told: 'no answer' }
const overQuota = { ...failing, told: 'over quota', isOverQuota: true }

function serving(...serials: (number | undefined)[]): TargetReport[] {
  return serials.map((serial, i) => ({ target: `target-${i}`, serial, problem: undefined }))
}

const rows: [rule: string, zone: Zone, reports: TargetReport[], expected: object][] = [
  [
    'ACTIVE when each target serves the serial',
    zone,
    serving(10, 10),
    { status: 'ACTIVE', action: 'NONE', reason: null },
  ],
  [
    'ACTIVE with what of a catalog could not be done',
    { ...zone, catalogProblem: 'a.test.: over quota' },
    serving(10),
    { status: 'ACTIVE', action: 'NONE', reason: 'a.test.: over quota' },
  ],
  ['ACTIVE when a target has gone on already', zone, serving(11), { status: 'ACTIVE' }],
  [
    'ACTIVE across the wrap of the serial (RFC 1982)',
    { ...zone, serial: 2 ** 32 - 1 },
    serving(0),
    { status: 'ACTIVE' },
  ],
  [
    'PENDING CREATE while a target does not have it',
    zone,
    serving(10, undefined),
    { status: 'PENDING', action: 'CREATE' },
  ],
  [
    'PENDING UPDATE while a target is behind',
    { ...zone, updatedAt: 1 },
    serving(9, 10),
    { status: 'PENDING', action: 'UPDATE' },
  ],
  [
    'PENDING DELETE while it is being deleted',
    { ...zone, isDeleting: true },
    serving(undefined),
    { status: 'PENDING', action: 'DELETE' },
  ],
  [
    'ERROR with the cause when a target has a problem',
    zone,
    [{ target: 'ns1', serial: 10, problem: 'a bad row' }],
    { status: 'ERROR', action: 'CREATE', reason: 'ns1: a bad row' },
  ],
  ['ERROR when there is no target', zone, [], { status: 'ERROR', reason: /no targets/ }],
  [
    'PENDING before the first transfer',
    newSecondary(),
    serving(undefined),
    { status: 'PENDING', action: 'CREATE' },
  ],
  [
    'PENDING, and says why, while a SECONDARY has no masters',
    newSecondary({ masters: [] }),
    serving(undefined),
    { status: 'PENDING', reason: /no masters/ },
  ],
  [
    'ERROR when the first transfer fails',
    newSecondary({ transfer: failing }),
    serving(undefined),
    { status: 'ERROR', reason: 'no answer' },
  ],
  [
    'ACTIVE while a copy outlives failures',
    { ...copied, transfer: failing },
    serving(10),
    { status: 'ACTIVE' },
  ],
  [
    'ERROR while its master has more than the project may have',
    { ...copied, transfer: overQuota },
    serving(10),
    { status: 'ERROR', reason: 'over quota' },
  ],
  [
    'ERROR when the copy has expired',
    { ...copied, transfer: { ...failing, isExpired: true } },
    serving(10),
    { status: 'ERROR', reason: 'The copy has expired: no answer' },
  ],
]

for (const [rule, row, reports, expected] of rows) {
  t.test(`a zone is ${rule}`, async t => {
    t.match(zoneState(row, reports), expected)
  })
}

t.test('a recordset answers for its own problem, not for its zone’s', async t => {
  const reports = [{ target: 'ns1', serial: 10, problem: 'another row is bad' }]
  t.match(recordsetState(zone, reports, undefined), { status: 'ACTIVE' })
  t.match(recordsetState(zone, reports, 'is bad'), { status: 'ERROR', reason: 'is bad' })
})

t.test('a project is told less of masters than the operator', async t => {
  const row = newSecondary({ transfer: failing })
  t.equal(zoneState(row, [], 'project').reason, 'no answer')
  t.equal(zoneState(row, [], 'operator').reason, 'refused')
  const { told: _told, ...older } = failing
  const before = newSecondary({ transfer: older })
  t.equal(zoneState(before, []).reason, 'The masters give no zone')
})

t.test('a copy that masters do not renew says until when it is served', async t => {
  const soaTimers = {
    refreshSeconds: 60,
    retrySeconds: 60,
    expireSeconds: 3600,
    minimumSeconds: 60,
  }
  const row = { ...copied, soaTimers, transfer: { ...failing, refreshedAt: 0, failureCount: 1 } }
  const reason =
    'The copy is served until 1970-01-01T01:00:00Z, as no master gives a newer one: no answer'
  t.equal(zoneState(row, serving(10)).reason, reason)
  const held = { ...row, transfer: { ...row.transfer, heldUntil: 30e6 } }
  const { reason: ofHeld } = zoneState(held, serving(10))
  t.equal(ofHeld, `${reason}; NOTIFY is ignored until 1970-01-01T00:00:30Z`)
})

t.test(
  'recordsets of the copy that is served are ACTIVE, whatever their zone waits for',
  async t => {
    t.match(recordsetState({ ...copied, transfer: overQuota }, serving(10), undefined), {
      status: 'ACTIVE',
    })
  },
)
