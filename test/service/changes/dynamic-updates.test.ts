import t from 'tap'
import { rcodes } from '../../../src/dns/codes.ts'
import { decodeMessage } from '../../../src/dns/message.ts'
import { parseName } from '../../../src/dns/name.ts'
import { signed, TsigSigner } from '../../../src/dns/tsig-signer.ts'
import { TsigAnswers } from '../../../src/dns/tsig-verifier.ts'
import { tsigSecretOf } from '../../../src/model/tsig-secret.ts'
import type { UpdateRule } from '../../../src/model/update-policy.ts'
import {
  DynamicUpdates,
  type RefusedUpdate,
  type UpdateRequest,
} from '../../../src/service/changes/dynamic-updates.ts'
import { UpdatePolicies } from '../../../src/service/changes/update-policies.ts'
import { hmac } from '../../../src/transport/hmac.ts'
import { addresses, callerOf, everyRow, openDns, primary } from '../../helpers/dns.ts'
import { checkPublished } from '../../helpers/publish-check.ts'
import { type UpdateLines, updateMessage } from '../../helpers/update-message.ts'

const one = callerOf('one')
const startSeconds = 1_795_000_000
const anywhere: UpdateRule = {
  keyName: null,
  addresses: ['192.0.2.0/24'],
  match: 'zone',
  name: null,
  types: [],
}

async function openZone(rules: readonly UpdateRule[] = [anywhere]) {
  const dns = await openDns()
  const zone = await dns.zones.create(one, primary('example.com.'))
  await new UpdatePolicies(dns.store).set(one, zone.id, rules)
  const refusals: RefusedUpdate[] = []
  const time = { seconds: startSeconds }
  const updates = new DynamicUpdates({
    store: dns.store,
    hmac,
    nowSeconds: () => time.seconds,
    onRefused: refusal => refusals.push(refusal),
    onFailed: (_, error) => t.fail(String(error)),
  })
  const handle = async (octets: Uint8Array, more: Partial<UpdateRequest> = {}) => {
    const responses: (Uint8Array | undefined)[] = []
    const request: UpdateRequest = {
      octets,
      apex: parseName('example.com.'),
      address: '192.0.2.7',
      keyId: undefined,
      hasEdns: false,
      transport: 'tcp',
      ...more,
    }
    await updates.handle(request, response => responses.push(response))
    t.equal(responses.length, 1, 'one response, or none')
    return responses[0]
  }
  const update = async (lines: UpdateLines, more?: Partial<UpdateRequest>) => {
    const response = await handle(updateMessage(lines), more)
    const rcode = (response?.[3] ?? -1) & 0xf
    return Object.entries(rcodes).find(([, code]) => code === rcode)?.[0]
  }
  const now = () => dns.zones.get(one, zone.id)
  const rows = async () => {
    const { rows } = await dns.recordsets.list(now(), everyRow)
    const own = rows.filter(({ isManaged }) => !isManaged)
    return own.map(row => [row.name, row.type, row.records]).sort()
  }
  return { dns, zone, handle, update, now, rows, refusals, time }
}

t.test('an update is one commit and one serial, answered by DNS', async t => {
  const { dns, update, now, rows } = await openZone()
  const { serial } = now()
  const lsn = dns.store.lastLsn
  const changes = ['www.example.com. 300 A 192.0.2.1', 'www.example.com. 300 TXT "x"']
  t.equal(await update({ prerequisites: ['www.example.com. NONE ANY'], changes }), 'noError')
  t.equal(now().serial, serial + 1)
  t.equal(dns.store.lastLsn, lsn + 1)
  t.same(await rows(), [
    ['www.example.com.', 'A', ['192.0.2.1']],
    ['www.example.com.', 'TXT', ['"x"']],
  ])
  t.equal(await update({ prerequisites: ['www.example.com. NONE ANY'], changes }), 'yxDomain')
  t.equal(await update({ changes }), 'noError', 'nothing new')
  t.equal(now().serial, serial + 1)
  t.equal(await update({ changes: ['www.example.com. ANY ANY'] }), 'noError')
  t.same(await rows(), [])
  checkPublished(t, dns)
})

t.test('by default, and beyond its rules, a zone refuses all', async t => {
  const changes = ['www.example.com. 300 A 192.0.2.1']
  const closed = await openZone([])
  t.equal(await closed.update({ changes }), 'refused')
  const { update, rows, refusals } = await openZone([
    { ...anywhere, match: 'name', name: 'www.example.com.' },
  ])
  t.equal(await update({ changes }, { address: '198.51.100.1' }), 'refused')
  t.equal(await update({ changes: [...changes, 'x.example.com. 5 A 192.0.2.1'] }), 'refused')
  t.equal(await update({ changes: ['www.example.com. 5 NS ns.example.net.'] }), 'refused')
  t.same(await rows(), [])
  t.match(closed.refusals, [{ zone: 'example.com.', address: '192.0.2.7', keyName: undefined }])
  t.same(
    [...closed.refusals, ...refusals].map(({ reason }) => reason),
    [
      'the zone has no update policy',
      'no rule of the update policy is for unsigned updates from this address',
      'no rule of the update policy allows changes of x.example.com. A',
      'no rule of the update policy allows changes of www.example.com. NS',
    ],
  )
  t.equal(await update({ changes }), 'noError')
})

t.test('what the API refuses is refused whole: quotas, places, records of the server', async t => {
  const { dns, update, rows, now, refusals } = await openZone([{ ...anywhere, types: ['ANY'] }])
  const { serial } = now()
  await dns.quotas.set('one', { recordsetRecords: 2 })
  const many = [1, 2, 3].map(i => `www.example.com. 5 A 192.0.2.${i}`)
  t.equal(await update({ changes: many }), 'refused')
  const dname = ['d.example.com. 5 DNAME example.net.', 'x.d.example.com. 5 A 192.0.2.1']
  t.equal(await update({ changes: dname }), 'refused')
  t.equal(await update({ changes: ['example.com. 5 NS ns9.example.net.'] }), 'refused')
  t.match(
    refusals.map(({ reason }) => reason),
    [/recordset_records/, /below a DNAME/, /Managed records/],
  )
  t.same(await rows(), [])
  t.equal(now().serial, serial)
})

t.test('an SOA sets the serial and the timers', async t => {
  const { update, now } = await openZone([{ ...anywhere, types: ['ANY'] }])
  const serial = now().serial + 1000
  const soa = `example.com. 5 SOA ns.example. ops.example. ${serial} 11 12 13 14`
  t.equal(await update({ changes: [soa] }), 'noError')
  const soaTimers = { refreshSeconds: 11, retrySeconds: 12, expireSeconds: 13, minimumSeconds: 14 }
  t.match(now(), { serial, soaTimers })
})

t.test('a repeated update over UDP is done once and gets the same answer', async t => {
  const { dns, handle, update } = await openZone()
  const message = updateMessage({
    prerequisites: ['www.example.com. NONE ANY'],
    changes: ['www.example.com. 300 A 192.0.2.1'],
  })
  const lsn = dns.store.lastLsn
  const udp = { transport: 'udp' } as const
  const answers = await Promise.all([handle(message, udp), handle(message, udp)])
  answers.push(await handle(message, udp))
  for (const answer of answers) t.equal((answer?.[3] ?? -1) & 0xf, rcodes.noError)
  t.equal(dns.store.lastLsn, lsn + 1)
  t.equal(await update({ prerequisites: ['www.example.com. NONE ANY'] }), 'yxDomain')
})

t.test('what it got is remembered for 30 s', async t => {
  const { handle, time } = await openZone()
  const message = updateMessage({
    prerequisites: ['www.example.com. NONE ANY'],
    changes: ['www.example.com. 300 A 192.0.2.1'],
  })
  const rcode = async () => ((await handle(message, { transport: 'udp' }))?.[3] ?? -1) & 0xf
  t.equal(await rcode(), rcodes.noError)
  time.seconds += 29
  t.equal(await rcode(), rcodes.noError)
  time.seconds += 1
  t.equal(await rcode(), rcodes.yxDomain)
})

t.test('updates of one project, however many, do not keep out those of another', async t => {
  const { dns, handle } = await openZone()
  const other = await dns.zones.create(callerOf('two'), primary('example.net.'))
  await new UpdatePolicies(dns.store).set(callerOf('two'), other.id, [anywhere])
  const udp = { transport: 'udp' } as const
  const flood = Array.from({ length: 1500 }, (_, i) =>
    handle(updateMessage({ changes: [`www.example.com. ${i} A 192.0.2.1`] }), udp),
  )
  const message = updateMessage({
    zone: 'example.net.',
    changes: ['www.example.net. 300 A 192.0.2.1'],
  })
  const answer = await handle(message, { ...udp, apex: parseName('example.net.') })
  t.equal((answer?.[3] ?? -1) & 0xf, rcodes.noError)
  const answered = (await Promise.all(flood)).filter(one => one !== undefined)
  t.equal(answered.length, 1250, 'some ran, some waited, and the others had no answer')
})

t.test('updates of one project, however many, leave the answers for another known', async t => {
  const { dns, handle } = await openZone()
  const other = await dns.zones.create(callerOf('two'), primary('example.net.'))
  await new UpdatePolicies(dns.store).set(callerOf('two'), other.id, [anywhere])
  const udp = { transport: 'udp' } as const
  const message = updateMessage({
    zone: 'example.net.',
    prerequisites: ['www.example.net. NONE ANY'],
    changes: ['www.example.net. 300 A 192.0.2.1'],
  })
  const ofOther = { ...udp, apex: parseName('example.net.') }
  await handle(message, ofOther)
  for (let i = 0; i < 2100; i += 1) {
    const prerequisites = [`n${i}.example.com. ANY ANY`]
    await handle(updateMessage({ prerequisites }), udp)
  }
  const answer = await handle(message, ofOther)
  t.equal((answer?.[3] ?? -1) & 0xf, rcodes.noError)
})

t.test('a key is for its zone or pool, and the answer is signed with it', async t => {
  const { dns, zone, handle, refusals } = await openZone(
    ['acme', 'foreign'].map(keyName => ({ ...anywhere, addresses: [], keyName })),
  )
  const other = await dns.zones.create(one, primary('example.net.'))
  const keyFor = (name: string, resourceId: string) =>
    dns.tsigKeys.create({
      name,
      algorithm: 'hmac-sha256',
      secret: 'c2VjcmV0',
      scope: 'ZONE',
      resourceId,
    })
  for (const [key, rcode, hasEdns] of [
    [await keyFor('acme', zone.id), rcodes.noError, true],
    [await keyFor('foreign', other.id), rcodes.refused, false],
  ] as const) {
    const secret = tsigSecretOf(key)
    if (secret === undefined) throw new Error('no secret')
    const signer = new TsigSigner(secret, hmac)
    const message = updateMessage({ changes: ['www.example.com. 300 A 192.0.2.1'] })
    const request = signed(message, signer, { nowSeconds: startSeconds })
    const answer = (await handle(request, { keyId: key.id, hasEdns })) ?? new Uint8Array()
    t.equal((answer[3] ?? -1) & 0xf, rcode)
    t.equal(decodeMessage(answer).edns !== undefined, hasEdns)
    new TsigAnswers(secret, hmac, signer.mac).take(answer, startSeconds)
  }
  t.equal(((await handle(updateMessage({})))?.[3] ?? -1) & 0xf, rcodes.refused, 'unsigned')
  t.match(refusals, [
    { keyName: 'foreign', reason: 'the key was made for another zone or pool' },
    { keyName: undefined, reason: /unsigned/ },
  ])
})

t.test('rules go when a zone changes hands', async t => {
  const { dns, zone, update } = await openZone()
  const offer = await dns.zoneTransferRequests.create(one, zone.id, {
    targetProjectId: null,
    description: null,
  })
  await dns.zoneTransferAccepts.create(callerOf('two'), {
    zoneTransferRequestId: offer.request.id,
    key: offer.request.key,
  })
  t.equal(await update({ changes: ['www.example.com. 300 A 192.0.2.1'] }), 'refused')
})

t.test('a record set keeps what an update is not about', async t => {
  const { dns, zone, update } = await openZone()
  const draft = { ...addresses('www.example.com.', '192.0.2.1'), description: 'mine' }
  const { recordset } = await dns.recordsets.create(one, zone.id, draft)
  await update({ changes: ['www.example.com. 3600 A 192.0.2.2'] })
  t.match(dns.recordsets.find(one, recordset.id).recordset, {
    id: recordset.id,
    description: 'mine',
    ttlSeconds: null,
    records: ['192.0.2.1', '192.0.2.2'],
  })
})

t.test('updates of a project beyond those that may wait are told to have no response', async t => {
  const { handle } = await openZone()
  const octets = updateMessage({ changes: ['no.example.com. ANY ANY'] })
  const responses = await Promise.all(Array.from({ length: 1300 }, () => handle(octets)))
  const unanswered = responses.filter(response => response === undefined)
  t.equal(unanswered.length, 50)
})

t.test('nor do long updates of one project take all memory for those that wait', async t => {
  const { dns, handle } = await openZone()
  const other = await dns.zones.create(callerOf('two'), primary('example.net.'))
  await new UpdatePolicies(dns.store).set(callerOf('two'), other.id, [anywhere])
  const text = `"${'x'.repeat(250)}"`
  const changes = Array.from({ length: 200 }, (_, i) => `n${i}.example.com. NONE TXT ${text}`)
  const octets = updateMessage({ changes })
  const responses = Array.from({ length: 600 }, () => handle(octets))
  const apex = parseName('example.net.')
  const line = 'no.example.net. ANY ANY'
  t.ok(await handle(updateMessage({ zone: 'example.net.', changes: [line] }), { apex }))
  const answered = (await Promise.all(responses)).filter(response => response !== undefined)
  t.equal(answered.length, Math.floor((16 * 1024 * 1024) / octets.length))
  t.ok(await handle(octets), 'those that are done make room')
})
