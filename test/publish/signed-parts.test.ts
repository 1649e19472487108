import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { parseName } from '../../src/dns/name.ts'
import { type Denial, denials } from '../../src/dnssec/denial.ts'
import type { ChangeSet } from '../../src/model/change-set.ts'
import type { Zone } from '../../src/model/zone.ts'
import { openResponder } from '../../src/nameserver/responder.ts'
import { DnssecPolicies } from '../../src/service/dnssec/policies.ts'
import { TableZone } from '../../src/zone/table/table-zone.ts'
import { queryFor, type Reply, replyFrom } from '../helpers/ask.ts'
import { Dice } from '../helpers/dice.ts'
import { addresses, callerOf, openDns, primary, type TestDns } from '../helpers/dns.ts'
import { until } from '../helpers/until.ts'
import { AnswerValidator } from '../helpers/verify-answer.ts'

// Commits of many names of a signed zone are made in parts: behind each of them every answer is as it has to be.

const one = callerOf('one')
const apex = 'example.com.'
const hostCount = 90
const nothing: ChangeSet = { create: [], replace: [], delete: [] }

/** Asks behind each change of a zone that readers see as one, and validates the answers. */
function watch(dns: TestDns): { stop(): void; readonly changeCount: number } {
  const responder = openResponder(dns.table.readers.open(dns.served).handle, defect => {
    throw defect
  })
  const room = new Uint8Array(8192)
  const ask = (question: string): Reply => {
    const request = queryFor(question, { edns: { isDnssecOk: true } })
    responder.enter()
    responder.take(0, request, request.length, 'tcp')
    const octets = responder.respond(0, room)
    responder.leave()
    return replyFrom(room.slice(0, octets))
  }
  const dnskeys = ask(`${apex} DNSKEY`).message.answers.filter(({ type }) => type === types.DNSKEY)
  const validator = new AnswerValidator(parseName(apex), ...dnskeys.map(({ rdata }) => rdata))
  const dice = new Dice(7)
  const nowSeconds = Math.floor(dns.clock.nowMillis() / 1000)
  const { changeTogether } = TableZone.prototype
  let changeCount = 0
  TableZone.prototype.changeTogether = function (this: TableZone, change) {
    const haveWaited = changeTogether.call(this, change)
    changeCount += 1
    for (let left = 60; left > 0; left -= 1) {
      const question = questionNear(dice)
      try {
        validator.check(ask(question), nowSeconds)
      } catch (cause) {
        throw new Error(`${question} behind change ${changeCount}`, { cause })
      }
    }
    return haveWaited
  }
  return {
    stop() {
      TableZone.prototype.changeTogether = changeTogether
    },
    get changeCount() {
      return changeCount
    },
  }
}

function questionNear(dice: Dice): string {
  const i = dice.below(hostCount)
  const below = dice.pick(['', '', 'x.', 'a.b.', '*.'])
  const name = dice.pick([`h${i}`, `h${i}`, `no${i}`, 'cut', `b${i}.cut`, 'wild'])
  return `${below}${name}.${apex} ${dice.pick(['A', 'A', 'TXT', 'NS', 'DS'])}`
}

async function openSigned(denial: Denial): Promise<{ dns: TestDns; zone: Zone }> {
  const dns = await openDns()
  const zone = await dns.zones.create(one, primary(apex))
  const { id: policyId } = await new DnssecPolicies(dns.store).create({
    ...{ name: 'own', description: null, keys: 'CSK', algorithm: 13, dsDigests: [2], denial },
    ...{ kskLifetimeDays: null, zskLifetimeDays: null },
  })
  await dns.dnssec.enable(one, zone.id, { policyId })
  await until(
    async () => dns.dnssec.get(one, zone.id).status,
    status => status === 'SIGNED',
  )
  return { dns, zone }
}

/** Names, names below empty ones, delegations with glue, wildcards. */
function drafts(round: number) {
  return Array.from({ length: hostCount }, (_, i) => {
    const name = `h${i}.${apex}`
    const kind = (i * 7 + round) % 5
    if (kind === 0) return { ...addresses(name), type: 'NS', records: [`ns.x.${name}`] }
    if (kind === 1) return addresses(`a.b.${name}`)
    if (kind === 2) return addresses(`*.${name}`)
    if (kind === 3) return { ...addresses(name), type: 'TXT', records: ['"t"'] }
    return addresses(name)
  })
}

for (const denial of denials) {
  t.test(
    `${denial}: a commit of many names leaves a zone that validates behind each part`,
    async t => {
      const { dns, zone } = await openSigned(denial)
      const watched = watch(dns)
      t.teardown(() => watched.stop())
      const apply = (set: Partial<ChangeSet>) =>
        dns.changeSets.apply(one, zone.id, { ...nothing, ...set })
      const keysOf = (round: number) =>
        drafts(round).map(({ name, type }) => ({ key: { name, type: type ?? 'A' } }))
      await apply({ create: drafts(0) })
      t.ok(watched.changeCount > 1, `${watched.changeCount} parts`)
      for (let round = 1; round < 5; round += 1) {
        await apply({ delete: keysOf(round - 1), create: drafts(round) })
      }
      // A cut above more names than are made together comes and goes.
      const cut = { ...addresses(`cut.${apex}`), type: 'NS', records: ['ns.example.net.'] }
      const below = Array.from({ length: 3 * hostCount }, (_, i) => addresses(`b${i}.cut.${apex}`))
      await apply({ create: [addresses(`b.cut.${apex}`), ...below] })
      await apply({ create: [cut] })
      await apply({
        delete: [{ key: { name: cut.name, type: 'NS' } }],
        create: [addresses(cut.name)],
      })
      t.ok(watched.changeCount > 20, `${watched.changeCount} parts`)
      t.same(dns.problems, [])
    },
  )
}
