import type { EdnsOption } from '../../src/dns/edns.ts'
import { flags } from '../../src/dns/header.ts'
import { type Name, parseName } from '../../src/dns/name.ts'
import { parseRdata } from '../../src/dns/rdata/index.ts'
import type { OwnedRrset } from '../../src/zone/rrset.ts'
import { queryFor } from './ask.ts'
import type { Dice } from './dice.ts'
import { ownCookie } from './oracle/options.ts'
import { codeOf } from './zone.ts'

// Zones, changes and queries for comparing two ways of answering octet for octet. Names are few, so that they meet;
// rdata is well-formed and points at such names; some RRsets are too large for a datagram.

/** Apexes at several depths, one inside another. */
export const apexes = ['.', 'example.', 'a.example.', 'c.b.example.', 'test.'] as const

const dataTypes = [
  ...['A', 'A', 'A', 'AAAA', 'AAAA', 'TXT', 'MX', 'NS', 'NS', 'CNAME', 'CNAME', 'CNAME'],
  ...['DNAME', 'DS', 'SRV', 'HTTPS', 'SVCB', 'PTR', 'MINFO', 'SOA', 'CAA', 'TYPE9999'],
]
const questionTypes = [
  ...dataTypes,
  'A',
  'A',
  'A',
  'NS',
  'MX',
  'ANY',
  'AXFR',
  'TYPE0',
  'TSIG',
  'OPT',
]
const labels = ['a', 'b', 'c', 'A', 'd', '*', 'www', 'a-much-longer-label-than-those-of-the-others']
const elsewhere = ['elsewhere.invalid.', 'www.elsewhere.invalid.', '.']

/** An RRset somewhere at or below the apex; a SOA only at it. */
export function randomRrset(dice: Dice, apex: string): OwnedRrset {
  const mnemonic = dice.pick(dataTypes)
  if (mnemonic === 'SOA') return randomSoa(dice, apex)
  const type = codeOf(mnemonic)
  const count = mnemonic === 'CNAME' || mnemonic === 'DNAME' ? 1 : dice.pick(recordCounts)
  const texts = new Set(Array.from({ length: count }, () => randomRdata(dice, mnemonic, apex)))
  const rdatas = [...texts].map(text => parseRdata(type, text))
  return {
    owner: randomName(dice, apex),
    type,
    ttlSeconds: dice.pick([0, 60, 0x7fff_ffff]),
    rdatas,
  }
}

export function randomSoa(dice: Dice, apex: string): OwnedRrset {
  const [primary, mailbox] = [randomTarget(dice, apex), randomTarget(dice, apex)]
  const numbers = `${dice.below(1000)} 7200 900 1209600 ${dice.pick([0, 30, 86_400])}`
  const rdatas = [parseRdata(codeOf('SOA'), `${primary} ${mailbox} ${numbers}`)]
  return { owner: parseName(apex), type: codeOf('SOA'), ttlSeconds: dice.pick([60, 3600]), rdatas }
}

/** A query that a client might send, in one of all the usual forms, and some unusual ones. */
export function randomQuery(dice: Dice, moreTypes: readonly string[] = []): Uint8Array {
  const name = randomText(dice, dice.pick(dice.below(4) === 0 ? elsewhere : apexes))
  const question = `${dice.below(3) === 0 ? name.toUpperCase() : name} ${dice.pick([...questionTypes, ...moreTypes])}`
  const payloadOctets = dice.pick([0, 512, 600, 700, 800, 1000, 1232, 4096, 65_535])
  const edns = {
    payloadOctets,
    isDnssecOk: dice.below(2) === 0,
    version: dice.below(20) === 0 ? 1 : 0,
    options: Array.from({ length: dice.pick([0, 0, 0, 1, 2, 3]) }, () => randomOption(dice)),
  }
  if (dice.below(40) === 0) {
    const chaos = `${dice.pick(['id.server', 'Version.BIND', 'x.server'])}. ${dice.pick(['TXT', 'ANY', 'A'])}`
    return queryFor(chaos, { class: 3, edns })
  }
  return queryFor(question, {
    id: dice.below(0x10000),
    flags: dice.pick([0, flags.recursionDesired, flags.recursionDesired | 0x30]),
    class: dice.pick([...Array(20).fill(1), 3, 255]),
    ...(dice.below(3) > 0 && { edns }),
  })
}

/** NSID, cookies of every kind, TCP keepalive, and unknown options. */
export function randomOption(dice: Dice): EdnsOption {
  const code = dice.pick([3, 9, 9, 10, 10, 10, 11, 65_001])
  if (code !== 10) return { code, octets: new Uint8Array(dice.pick([0, 0, 2])) }
  const ageSeconds = dice.pick([-301, -300, 0, 1800, 1801, 3600, 3601, 100_000])
  const own = ownCookie({ ageSeconds, secret: dice.below(2) })
  const forged = own.with(dice.below(own.length), dice.below(256))
  const other = new Uint8Array(dice.pick([7, 8, 15, 16, 24, 40, 41]))
  return { code, octets: dice.pick([own, own, own.slice(0, 8), forged, other]) }
}

const recordCounts = [1, 1, 1, 1, 2, 3, 8, 20, 40]

function randomName(dice: Dice, apex: string): Name {
  return parseName(randomText(dice, apex))
}

function randomText(dice: Dice, apex: string): string {
  const depth = dice.pick([0, 1, 1, 1, 2, 2, 3, 4])
  const prefix = Array.from({ length: depth }, () => `${dice.pick(labels)}.`).join('')
  return apex === '.' && depth > 0 ? prefix : `${prefix}${apex}`
}

function randomTarget(dice: Dice, apex: string): string {
  if (dice.below(8) === 0) return dice.pick(elsewhere)
  return randomText(dice, dice.below(4) === 0 ? dice.pick(apexes) : apex)
}

function randomRdata(dice: Dice, mnemonic: string, apex: string): string {
  const target = randomTarget(dice, apex)
  switch (mnemonic) {
    case 'A':
      return `192.0.2.${dice.below(250)}`
    case 'AAAA':
      return `2001:db8::${dice.below(250)}`
    case 'TXT':
      return `"${'x'.repeat(dice.pick([0, 10, 100, 255]))}" "${dice.below(1000)}"`
    case 'MX':
      return `${dice.below(30)} ${target}`
    case 'DS':
      return `${dice.below(1000)} 13 2 ${'0'.repeat(64)}`
    case 'SRV':
      return `${dice.below(9)} 0 53 ${target}`
    case 'HTTPS':
    case 'SVCB':
      return dice.below(3) === 0 ? `0 ${target}` : `${1 + dice.below(9)} ${target} port=53`
    case 'MINFO':
      return `${target} ${randomTarget(dice, apex)}`
    case 'CAA':
      return `0 issue "ca${dice.below(100)}.example"`
    case 'TYPE9999':
      return `\\# 3 ${String(100_000 + dice.below(100_000))}`
    default:
      return target
  }
}
