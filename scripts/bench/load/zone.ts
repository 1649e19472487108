import { Dice } from '../../../test/helpers/dice.ts'

// The zone `example.net.` that all servers answer from, and the queries to them. Per 100 names: 100 addresses, 20
// MX, 20 aliases, 10 delegations with glue.

export type ZoneRecord = { readonly owner: string; readonly type: string; readonly rdata: string }

export const origin = 'example.net.'
const ttlSeconds = 300

/** The records of a zone with so many names that have addresses. Owners and targets are relative to the
 *  origin; those of the apex are `@`. */
export function* zoneRecords(nameCount: number): Generator<ZoneRecord> {
  yield { owner: '@', type: 'SOA', rdata: 'ns1 hostmaster 1 7200 900 1209600 300' }
  yield { owner: '@', type: 'NS', rdata: 'ns1' }
  yield { owner: '@', type: 'NS', rdata: 'ns2' }
  yield { owner: 'ns1', type: 'A', rdata: '192.0.2.53' }
  yield { owner: 'ns2', type: 'A', rdata: '192.0.2.54' }
  yield { owner: '*.wild', type: 'A', rdata: '192.0.2.1' }
  for (let i = 0; i < nameCount; i += 1) {
    yield { owner: `host${i}`, type: 'A', rdata: `198.51.${(i >> 8) & 0xff}.${i & 0xff}` }
    if (i % 5 === 0) yield { owner: `mail${i}`, type: 'MX', rdata: `10 host${i}` }
    if (i % 5 === 1) yield { owner: `alias${i}`, type: 'CNAME', rdata: `host${i}` }
    if (i % 10 === 2) {
      yield { owner: `sub${i}`, type: 'NS', rdata: `ns.sub${i}` }
      yield { owner: `ns.sub${i}`, type: 'A', rdata: '192.0.2.54' }
    }
  }
}

/** The zone as a zone file. */
export function zoneText(nameCount: number): string {
  const lines = [`$ORIGIN ${origin}`, `$TTL ${ttlSeconds}`]
  for (const { owner, type, rdata } of zoneRecords(nameCount))
    lines.push(`${owner} ${type} ${rdata}`)
  return `${lines.join('\n')}\n`
}

/** How many of 100 queries are of which kind; `i` is a random name's number. */
const mix: readonly (readonly [number, (i: number) => string])[] = [
  [55, i => `host${i}.${origin} A`],
  [10, i => `mail${i - (i % 5)}.${origin} MX`],
  [7, i => `alias${i - (i % 5) + 1}.${origin} A`],
  [6, i => `host${i}.${origin} AAAA`],
  [4, i => `www.sub${i - (i % 10) + 2}.${origin} A`],
  [3, i => `any${i}.wild.${origin} A`],
  [15, i => `missing${i}.${origin} A`],
]

/** Queries for dnsperf, always the same. Hits and misses are spread over all names, so no cache of whole answers
 *  that is smaller than the zone helps. */
export function queryText(nameCount: number, queryCount: number): string {
  const dice = new Dice(1)
  const kinds = mix.flatMap(([share, kind]) => Array<(i: number) => string>(share).fill(kind))
  const lines = Array.from({ length: queryCount }, () => dice.pick(kinds)(dice.below(nameCount)))
  return `${lines.join('\n')}\n`
}

/** A zone of addresses alone, `host0` to `host<count - 1>`, piece by piece: a million lines are too many for a string
 *  that is put together at once. Its names are relative, so it serves for a zone of any name. */
export function* addressZoneText(count: number): Generator<string> {
  yield `$TTL ${ttlSeconds}\n`
  yield '@ SOA ns1 hostmaster 1 7200 900 1209600 300\n@ NS ns1\nns1 A 192.0.2.53\n'
  for (let i = 0; i < count; i += 1)
    yield `host${i} A 10.${i >> 16}.${(i >> 8) & 0xff}.${i & 0xff}\n`
}

/** Queries for random names of some such zones, one in ten of them for a name that does not exist. */
export function addressQueryText(
  names: readonly string[],
  { count, queryCount }: { readonly count: number; readonly queryCount: number },
): string {
  const dice = new Dice(1)
  const query = (_: unknown, i: number): string =>
    `${i % 10 === 0 ? 'missing' : 'host'}${dice.below(count)}.${dice.pick(names)} A`
  return `${Array.from({ length: queryCount }, query).join('\n')}\n`
}
