import type { RunningServer } from '../servers/running.ts'
import { type LoadOptions, type LoadResult, loadServer } from './dnsperf.ts'

export type RoundsOptions = {
  readonly load: Omit<LoadOptions, 'seconds'>
  readonly seconds: number
  readonly rounds: number
}

export type Measured = { readonly server: RunningServer; readonly results: readonly LoadResult[] }

/** Loads one server after the other, round after round, so that other load on the machine affects all of
 *  them. The first run of each, while caches fill and code is compiled, does not count. */
export async function loadInRounds(
  servers: readonly RunningServer[],
  { load, seconds, rounds }: RoundsOptions,
): Promise<readonly Measured[]> {
  const measured = servers.map(server => ({ server, results: [] as LoadResult[] }))
  for (const server of servers) await loadServer(server, { ...load, seconds: 1 })
  for (let round = 0; round < rounds; round += 1)
    for (const { server, results } of measured)
      results.push(await loadServer(server, { ...load, seconds }))
  return measured
}
