import { Dice } from '../../../test/helpers/dice.ts'
import type { HttpClient } from './http-client.ts'

/** The names of many small zones. */
export function smallZoneName(i: number): string {
  return `zone${i}.example.net.`
}

/** Creates one of them with so many hosts, which have an address each, and returns its path. */
export async function createSmallZone(
  http: HttpClient,
  i: number,
  hostCount: number,
): Promise<string> {
  const body = { name: smallZoneName(i), email: 'hostmaster@example.net' }
  const path = `/v2/zones/${JSON.parse(await http.call('POST', '/v2/zones', body)).id}`
  const create = Array.from({ length: hostCount }, (_, host) => addressOf(host, '192.0.2.1'))
  await http.call('POST', `${path}/changes`, { create })
  return path
}

/** Gives the first host of such a zone another address. */
export async function changeSmallZone(http: HttpClient, path: string): Promise<void> {
  await http.call('POST', `${path}/changes`, { replace: [addressOf(0, '192.0.2.2')] })
}

function addressOf(host: number, address: string) {
  return { name: `host${host}`, type: 'A', records: [address] }
}

/** Queries for dnsperf over all of them, always the same: nine out of ten for existing names. */
export function smallZoneQueries(options: {
  readonly zoneCount: number
  readonly namesPerZone: number
  readonly queryCount: number
}): string {
  const dice = new Dice(1)
  const query = (_: unknown, i: number): string => {
    const zone = smallZoneName(dice.below(options.zoneCount))
    return `${i % 10 === 0 ? 'missing' : 'host'}${dice.below(options.namesPerZone)}.${zone} A`
  }
  return `${Array.from({ length: options.queryCount }, query).join('\n')}\n`
}
