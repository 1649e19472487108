import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import {
  formatName,
  isAtOrBelow,
  isWildcard,
  lowerCaseName,
  type Name,
  parseName,
} from '../../src/dns/name.ts'
import { formatRdata, parseRdata, typeMnemonic } from '../../src/dns/rdata/index.ts'
import { checkPut } from '../../src/zone/check.ts'
import { ask, queryFor, type Reply, replyFrom } from '../helpers/ask.ts'
import { Dice } from '../helpers/dice.ts'
import type { ListedZone } from '../helpers/oracle/listed-zone.ts'
import { type Peer, type PeerZone, peerKinds, startPeer } from '../helpers/peer-server.ts'
import { codeOf, zoneFromText, zoneSetOf } from '../helpers/zone.ts'

// Random zones, served by us and by Knot, NSD and BIND, and the same questions to all. Compared are the rcode,
// AA, the answer, the SOA of negative answers, and the NS and in-domain glue of referrals. What RFCs leave to
// the server is not: NS with positive answers, optional additional records, and how long chains end.

const seed = 20_261_121
const zoneCount = 300
const putsPerZone = 40
const questionsPerZone = 60

const dataTypes = [
  'A',
  'A',
  'A',
  'AAAA',
  'TXT',
  'MX',
  'NS',
  'CNAME',
  'CNAME',
  'DNAME',
  'DS',
] as const
const labels = ['a', 'b', 'c', '*'] as const
const dice = new Dice(seed)
const zones = zoneSetOf(
  ...Array.from({ length: zoneCount }, (_, i) => randomZone(`z${i}.example.`)),
)
const questions = [...zones].flatMap(({ apex }) =>
  Array.from({ length: questionsPerZone }, () => `${randomName(formatName(apex))} ${randomType()}`),
)

for (const kind of peerKinds) {
  t.test(`${kind} gives the same answers on ${zoneCount} random zones (seed ${seed})`, async t => {
    const peer = await startPeer(kind, {
      zones: [...zones].map(zoneFile),
      probe: queryFor('z0.example. SOA'),
    })
    t.teardown(() => peer.close())
    const differences: object[] = []
    let comparedCount = 0
    for (const question of questions) {
      const ours = ask(zones, question, { edns: {} })
      if (isLeftToServers(ours)) continue
      comparedCount += 1
      const theirs = await askPeer(peer, question)
      if (JSON.stringify(essence(ours)) === JSON.stringify(essence(theirs))) continue
      differences.push({ question, ours: essence(ours), theirs: essence(theirs) })
    }
    t.same(differences, [])
    t.ok(comparedCount > 0.9 * questions.length)
  })
}

async function askPeer(peer: Peer, question: string): Promise<Reply> {
  return replyFrom(await peer.exchange(queryFor(question, { edns: {} })))
}

/** Loops, which BIND answers with SERVFAIL, and chains of more links than Knot follows. */
function isLeftToServers({ answer }: Reply): boolean {
  const links = answer
    .map(line => line.toLowerCase().split(' '))
    .filter(([, , type]) => type === 'cname')
  const end = links.at(-1)?.[3]
  return links.length > 4 || links.some(([owner]) => owner === end)
}

function essence(reply: Reply): object {
  const negative = reply.authority.filter(line => line.includes(' SOA '))
  const isReferral =
    !reply.flags.includes('aa') || (negative.length === 0 && reply.answer.every(isAlias))
  const referral = isReferral ? reply.authority.filter(line => line.includes(' NS ')) : []
  return {
    rcode: reply.rcode,
    flags: reply.flags,
    answer: sorted(reply.answer),
    authority: sorted([...negative, ...referral]),
    glue: sorted(inDomainGlue(reply, referral)),
  }
}

function isAlias(line: string): boolean {
  return / (CNAME|DNAME) /.test(line)
}

/** Knot and NSD also make glue of a wildcard below the cut. BIND does not, nor do we: it is the child's. */
function inDomainGlue(reply: Reply, referral: readonly string[]): string[] {
  const [cut] = (referral[0] ?? '').split(' ')
  if (!cut) return []
  const cutKey = lowerCaseName(parseName(cut))
  return reply.additional.filter(line => {
    const [ownerText = ''] = line.split(' ')
    const owner = lowerCaseName(parseName(ownerText))
    return isAtOrBelow(owner, cutKey) && (zones.find(owner)?.rrsetsAt(owner).length ?? 0) > 0
  })
}

/** Knot repeats a DNAME that a chain passes again. */
function sorted(lines: readonly string[]): string[] {
  return [...new Set(lines.map(line => line.toLowerCase()))].sort()
}

/** Builds a zone by trying random RRsets and keeping what is sound. */
function randomZone(apex: string): ListedZone {
  const zone = zoneFromText(`
    ${apex} 3600 SOA ns hostmaster 1 7200 900 1209600 ${dice.below(7200)}
    @       3600 NS  ns.elsewhere.invalid.
  `)
  for (let i = 0; i < putsPerZone; i += 1) {
    const owner = parseName(randomName(apex))
    const type = codeOf(dice.pick(dataTypes))
    const rdatas = [parseRdata(type, randomRdata(type, apex))]
    const rrset = { type, ttlSeconds: 60 + dice.below(3), rdatas }
    if (checkPut(zone, owner, rrset).length === 0 && isWelcome(zone, owner, type)) {
      zone.putRrset(owner, rrset)
    }
  }
  return zone
}

/** Leaves out what BIND refuses (DS without NS, NS of the zone without addresses), and DNAME at a wildcard,
 *  which should not be (RFC 6672 section 3.3) and which every server takes differently. */
function isWelcome(zone: ListedZone, owner: Name, type: number): boolean {
  if (type === types.NS) return lowerCaseName(owner) !== zone.apex
  if (type === types.DS) return zone.findRrset(owner, types.NS) !== undefined
  return type !== types.DNAME || !isWildcard(owner)
}

function randomRdata(type: number, apex: string): string {
  const target = dice.below(5) === 0 ? 'www.elsewhere.invalid.' : randomName(apex)
  if (type === types.A) return `192.0.2.${dice.below(250)}`
  if (type === types.AAAA) return `2001:db8::${dice.below(250)}`
  if (type === types.TXT) return '"text"'
  if (type === types.DS) return `1 13 2 ${'0'.repeat(64)}`
  return type === types.MX ? `10 ${target}` : target
}

function randomName(apex: string): string {
  const depth = dice.below(4)
  return `${Array.from({ length: depth }, () => `${dice.pick(labels)}.`).join('')}${apex}`
}

function randomType(): string {
  return dice.pick(['A', 'A', 'AAAA', 'TXT', 'MX', 'NS', 'CNAME', 'DNAME', 'DS', 'SOA', 'TYPE999'])
}

function zoneFile(zone: ListedZone): PeerZone {
  const lines = [...zone.rrsets()].flatMap(({ owner, type, ttlSeconds, rdatas }) =>
    rdatas.map(
      rdata =>
        `${formatName(owner)} ${ttlSeconds} IN ${typeMnemonic(type)} ${formatRdata(type, rdata)}`,
    ),
  )
  return { apex: formatName(zone.apex), text: `${lines.join('\n')}\n` }
}
