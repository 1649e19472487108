import { Dice } from '../../../test/helpers/dice.ts'

/** The names of many small zones. */
export function smallZoneName(i: number): string {
  return `zone${i}.example.net.`
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
