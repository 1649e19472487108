import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { parseName } from '../../src/dns/name.ts'
import { OnDemandKeys } from '../../src/dnssec/on-demand.ts'
import { type SigningBatch, signBatch } from '../../src/dnssec/sign-batch.ts'
import type { Zone } from '../../src/model/zone.ts'
import { openResponder } from '../../src/nameserver/responder.ts'
import type { ResponderHost } from '../../src/nameserver/responder-host.ts'
import { queryFor, type Reply, replyFrom } from '../helpers/ask.ts'
import { addresses, callerOf, openDns, primary, type TestDns } from '../helpers/dns.ts'
import { until } from '../helpers/until.ts'
import { AnswerValidator } from '../helpers/verify-answer.ts'

// A start without a table: zones that are signed are answered before they have a signature, each answer signed by the thread
// that gives it, until all signatures are there.

const one = callerOf('one')
const apex = 'example.com.'

async function signedZone(policyId: string): Promise<{ dns: TestDns; zone: Zone }> {
  const dns = await openDns()
  const zone = await dns.zones.create(one, primary(apex))
  const create = (name: string, type: string, ...records: string[]) =>
    dns.recordsets.create(one, zone.id, { ...addresses(`${name}.${apex}`), type, records })
  await create('www', 'A', '192.0.2.1')
  await create('Alias', 'CNAME', `x.wild.${apex}`)
  await create('*.wild', 'A', '192.0.2.2')
  await create('a.b.ent', 'MX', `5 Mail.${apex}`)
  await create('insecure', 'NS', 'ns.example.net.')
  await create('secure', 'NS', 'ns.example.net.')
  await create('secure', 'DS', `1 13 2 ${'0'.repeat(64)}`)
  await create('renamed', 'DNAME', `ent.${apex}`)
  await sign(dns, zone, policyId)
  return { dns, zone }
}

async function sign({ dnssec }: TestDns, { id }: Zone, policyId: string): Promise<void> {
  await dnssec.enable(one, id, { policyId })
  await until(
    async () => dnssec.get(one, id).status,
    status => status === 'SIGNED',
  )
}

/** A second process over the same store; what it signs beside the answers waits until `signing` is resolved. */
async function startAgain({ store, clock }: TestDns) {
  const signing = Promise.withResolvers<void>()
  const onDemandKeys = new OnDemandKeys()
  const dns = await openDns({
    ...{ store, onDemandKeys },
    signBatch: async (batch: SigningBatch) => {
      await signing.promise
      return signBatch(batch)
    },
  })
  const reader = dns.table.readers.open(dns.served)
  const handle = { ...reader.handle, onDemandKeys: onDemandKeys.memory }
  const responder = openResponder(handle, defect => {
    throw defect
  })
  let seconds = Math.floor(clock.nowMillis() / 1000)
  responder.host = {
    unixSeconds: () => seconds,
    onNotified: () => false,
  } as unknown as ResponderHost
  const room = new Uint8Array(0xffff)
  const ask = (question: string, isDnssecOk = true): Reply => {
    const request = queryFor(question, { edns: { isDnssecOk } })
    responder.enter()
    responder.take(0, request, request.length, 'tcp')
    const octets = responder.respond(0, room)
    responder.leave()
    return replyFrom(room.slice(0, octets))
  }
  const nextSecond = () => {
    seconds += 1
  }
  return { dns, ask, signing, nextSecond, nowSeconds: () => seconds }
}

const questions = [
  ...['example.com. SOA', 'example.com. NS', 'example.com. DNSKEY', 'example.com. MX'],
  ...['www.example.com. A', 'www.example.com. TXT', 'missing.example.com. A'],
  ...['ALIAS.example.com. A', 'y.z.wild.example.com. A', 'y.wild.example.com. TXT'],
  ...['ent.example.com. A', 'b.ent.example.com. A', 'a.b.ent.example.com. MX'],
  ...['x.insecure.example.com. A', 'insecure.example.com. DS', 'x.secure.example.com. A'],
  ...['secure.example.com. DS', 'a.b.renamed.example.com. MX', 'c.renamed.example.com. MX'],
] as const

for (const policyId of ['default', 'nsec3']) {
  t.test(`${policyId}: the first answers are signed, and those of changes`, async t => {
    const { dns: before, zone } = await signedZone(policyId)
    const { dns, ask, signing, nowSeconds } = await startAgain(before)
    const dnskey = ask(`${apex} DNSKEY`).message.answers.find(({ type }) => type === types.DNSKEY)
    const validator = new AnswerValidator(parseName(apex), dnskey?.rdata ?? new Uint8Array())
    const served = () => dns.served.get(parseName(apex))
    const check = () => {
      for (const question of questions) {
        t.doesNotThrow(() => validator.check(ask(question), nowSeconds()), question)
      }
    }
    check()
    t.equal(served()?.isSignedOnDemand, true)
    t.equal(
      served()?.findRrset(parseName(`www.${apex}`), types.RRSIG),
      undefined,
      'nothing is stored',
    )
    t.notMatch(ask(`www.${apex} A`, false).answer.join(), /RRSIG/)
    t.ok(dns.publisher.signed.isResigned(zone.id), 'nobody is sent it')

    const draft = { ...addresses(`new.${apex}`), type: 'A', records: ['192.0.2.9'] }
    await dns.recordsets.create(one, zone.id, draft)
    check()
    validator.check(ask(`new.${apex} A`), nowSeconds())
    await dns.dnssec.renew()
    t.ok(dns.publisher.signed.isResigned(zone.id), 'nor with another serial')

    const { serial } = dns.zones.get(one, zone.id)
    signing.resolve()
    await until(() => served()?.isSignedOnDemand === false)
    await until(() => !dns.publisher.signed.isResigned(zone.id))
    t.ok((served()?.serial ?? 0) > serial)
    check()
    validator.check(ask(`new.${apex} A`), nowSeconds())
    t.same(dns.problems, [])
  })
}

t.test('the validator misses what is left out', async t => {
  const { dns: before } = await signedZone('nsec3')
  const { ask, nowSeconds } = await startAgain(before)
  const dnskey = ask(`${apex} DNSKEY`).message.answers.find(({ type }) => type === types.DNSKEY)
  const validator = new AnswerValidator(parseName(apex), dnskey?.rdata ?? new Uint8Array())
  for (const question of ['missing.example.com. A', 'y.wild.example.com. A']) {
    const reply = ask(question)
    const { authorities } = reply.message
    for (const [i, { type, owner }] of authorities.entries()) {
      const rest = authorities.filter(
        (other, at) => at !== i && (type !== types.NSEC3 || other.owner !== owner),
      )
      const message = { ...reply.message, authorities: rest }
      t.throws(() => validator.check({ ...reply, message }, nowSeconds()), `${question} ${i}`)
    }
  }
})

t.test('more than a thread may sign in a second is held back, and nothing is unsigned', async t => {
  const { dns: before } = await signedZone('default')
  const { ask, nextSecond } = await startAgain(before)
  const question = `missing.${apex} A`
  let answers = 0
  while (ask(question).rcode === 'NXDOMAIN') answers += 1
  t.equal(answers, 1666, 'three signatures each of 5000')
  const held = ask(question)
  t.same([held.rcode, held.flags, ...held.authority], ['SERVFAIL', ''])
  t.equal(ask(question, false).rcode, 'NXDOMAIN')
  nextSecond()
  t.equal(ask(question).rcode, 'NXDOMAIN')
})

t.test('a flood of questions for one zone leaves the others their share', async t => {
  const { dns: before } = await signedZone('default')
  await sign(before, await before.zones.create(one, primary('example.net.')), 'default')
  const { ask, nextSecond } = await startAgain(before)
  for (let second = 0; second < 2; second += 1) {
    while (ask(`missing.${apex} A`).rcode === 'NXDOMAIN');
    t.equal(ask('missing.example.net. A').rcode, 'NXDOMAIN')
    nextSecond()
  }
})
