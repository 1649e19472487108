import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import {
  isAtOrBelow,
  lowerCaseName,
  type Name,
  nameFromOctets,
  parseName,
} from '../../src/dns/name.ts'
import { StagedEdits } from '../../src/zone/edits.ts'
import type { OwnedRrset } from '../../src/zone/rrset.ts'
import type { TableZone } from '../../src/zone/table/table-zone.ts'
import { Dice } from '../helpers/dice.ts'
import { randomRrset, randomSoa } from '../helpers/random-zones.ts'
import { compareNames, type Denial, signZone } from '../helpers/sign-zone.ts'
import { contentsOf, sameOrThrow } from '../helpers/zone-comparison.ts'
import { createZone, openTable } from '../helpers/zone-table.ts'

// A signed zone becomes another version of itself, as a refresh has it: after each name that is changed, whatever somebody
// asks can be proved. Each RRset has the signature that belongs to its octets, and each NSEC and NSEC3 reaches at least to
// the next one there is. The signatures of the helper are made of the octets that they cover.

const apex = 'example.'
const seconds = 300

function randomContents(dice: Dice): Map<string, OwnedRrset> {
  const rrsets = Array.from({ length: 40 }, () => ({ ...randomRrset(dice, apex), ttlSeconds: 60 }))
  return new Map(rrsets.map(rrset => [keyOf(rrset), rrset]))
}

function withoutOccludedCuts(byKey: Map<string, OwnedRrset>): Map<string, OwnedRrset> {
  // A cut below another that goes together with it has no NSEC that could speak for it in between.
  for (const [key, { owner, type }] of byKey) {
    const isBarrier = type === types.DNAME || type === types.NS
    if (isBarrier && isOccluded(byKey, lowerCaseName(owner))) byKey.delete(key)
  }
  return byKey
}

function keyOf({ owner, type }: Pick<OwnedRrset, 'owner' | 'type'>): string {
  return `${lowerCaseName(owner)} ${type}`
}

function signed(contents: ReadonlyMap<string, OwnedRrset>, soa: OwnedRrset, denial: Denial) {
  const whole = signZone([soa, ...contents.values()], { denial })
  return new Map(whole.map(rrset => [keyOf(rrset), rrset]))
}

function editsBetween(
  zone: TableZone,
  before: ReadonlyMap<string, OwnedRrset>,
  after: ReadonlyMap<string, OwnedRrset>,
) {
  const edits = new StagedEdits(zone, 'small')
  for (const [key, { owner, type }] of before) {
    if (!after.has(key)) edits.put({ recordsetId: key, owner, type, rrset: undefined })
  }
  for (const [key, rrset] of after) {
    const { owner, type } = rrset
    const known = before.get(key)
    if (known !== undefined && contentsOf([known]).join() === contentsOf([rrset]).join()) continue
    edits.put({ recordsetId: key, owner, type, rrset })
  }
  return edits
}

/** @throws Error something cannot be proved */
function requireProvable(zone: TableZone, made: ReadonlySet<string>): void {
  const rrsets = [...zone.rrsets()]
  const byKey = new Map(rrsets.filter(({ type }) => type !== types.RRSIG).map(r => [keyOf(r), r]))
  for (const rrset of rrsets) {
    if (rrset.type !== types.RRSIG) continue
    const covered = byKey.get(keyOf({ owner: rrset.owner, type: coveredBy(rrset) }))
    const pair = pairOf(covered, rrset)
    if (!made.has(pair)) throw new Error(`a signature that does not belong: ${pair}`)
  }
  const names = rrsets.filter(({ type }) => type === types.NSEC)
  names.sort((one, other) => compareNames(one.owner, other.owner))
  const visible = names.filter(({ owner }) => !isOccluded(byKey, lowerCaseName(owner)))
  for (const [i, { owner, rdatas }] of visible.entries()) {
    const next = nameFromOctets(rdatas[0] as Uint8Array, 0)
    const following = visible[i + 1]?.owner ?? parseName(apex)
    const isEnd = lowerCaseName(next) === apex || next === parseName(apex)
    if (!isEnd && (i + 1 === visible.length || compareNames(next, following) < 0)) {
      throw new Error(`NSEC of ${owner} ends at ${next}, before ${following}`)
    }
  }
  requireHashChain(rrsets.filter(({ type }) => type === types.NSEC3))
}

function requireHashChain(nsec3s: readonly OwnedRrset[]): void {
  const links = nsec3s
    .map(({ owner, rdatas }) => ({
      hash: owner.slice(1, 33).toLowerCase(),
      next: BigInt(`0x${Buffer.from((rdatas[0] as Uint8Array).subarray(6, 26)).toString('hex')}`)
        .toString(32)
        .padStart(32, '0'),
    }))
    .sort((one, other) => (one.hash < other.hash ? -1 : 1))
  for (const [i, { hash, next }] of links.entries()) {
    const following = links[i + 1]?.hash
    const isWrapped = next <= hash
    const first = links[0]?.hash as string
    const reaches =
      following === undefined ? isWrapped && next >= first : isWrapped || next >= following
    if (!reaches) throw new Error(`NSEC3 ${hash} ends at ${next}, before ${following ?? first}`)
  }
}

function isOccluded(byKey: ReadonlyMap<string, OwnedRrset>, name: Name): boolean {
  for (const { owner, type } of byKey.values()) {
    const above = lowerCaseName(owner)
    if (above === name || !isAtOrBelow(name, above)) continue
    if (type === types.DNAME || (type === types.NS && above !== parseName(apex))) return true
  }
  return false
}

function coveredBy({ rdatas: [rdata = new Uint8Array()] }: OwnedRrset): number {
  return ((rdata[0] as number) << 8) | (rdata[1] as number)
}

function pairOf(covered: OwnedRrset | undefined, { rdatas }: OwnedRrset): string {
  const texts = [covered?.rdatas ?? [], rdatas].map(each =>
    each
      .map(rdata => Buffer.from(rdata).toString('hex'))
      .sort()
      .join(),
  )
  return `${covered && keyOf(covered)} ${texts.join(' ')}`
}

/** Each RRset of a version with each signature that it has. */
function pairsOf(version: ReadonlyMap<string, OwnedRrset>): string[] {
  return [...version.values()].flatMap(signatures => {
    if (signatures.type !== types.RRSIG) return []
    const byType = Map.groupBy(signatures.rdatas, rdata =>
      coveredBy({ ...signatures, rdatas: [rdata] }),
    )
    return [...byType].map(([type, rdatas]) => {
      const covered = version.get(keyOf({ owner: signatures.owner, type }))
      return pairOf(covered, { ...signatures, rdatas })
    })
  })
}

for (const denial of ['nsec', 'nsec3', 'opt-out'] as const) {
  t.test(`${denial}: at each step from one version to the next all can be proved`, async t => {
    let steps = 0
    for (let seed = 1; seed <= 25; seed += 1) {
      const dice = new Dice(seed)
      const soa = { ...randomSoa(dice, apex), ttlSeconds: seconds }
      let contents = withoutOccludedCuts(randomContents(dice))
      let version = signed(contents, soa, denial)
      const zone = createZone(openTable({ reserveOctets: 2 ** 24 }), [...version.values()])
      for (let round = 0; round < 3; round += 1) {
        const kept = [...contents].filter(() => dice.below(4) > 0)
        const added = [...randomContents(dice)].slice(0, dice.below(20))
        contents = withoutOccludedCuts(new Map([...kept, ...added]))
        const next = signed(contents, { ...randomSoa(dice, apex), ttlSeconds: seconds }, denial)
        const made = new Set([...pairsOf(version), ...pairsOf(next)])
        for (const { owner, edits, part } of editsBetween(zone, version, next).inOrder()) {
          zone.changeName(owner, edits, part)
          requireProvable(zone, made)
          steps += 1
        }
        const wanted = createZone(openTable({ reserveOctets: 2 ** 24 }), [...next.values()])
        sameOrThrow('contents', contentsOf(zone.rrsets()), contentsOf(wanted.rrsets()))
        sameOrThrow('count', zone.rrsetCount, next.size)
        version = next
      }
    }
    t.ok(steps > 1000, `${steps} steps`)
  })
}
