import type { Test } from 'tap'
import { ClockedAppliance } from './clocked-appliance.ts'
import { serverFolder } from './server-folder.ts'

// A whole server whose usage is metered, rated and read back, with a clock that the test sets.

export const hour = 3_600_000
const start = Date.UTC(2026, 9, 5, 10)

export type Zone = { readonly id: string; readonly name: string; readonly project_id: string }
type Row = readonly (string | number)[]
export type Summary = { readonly columns: readonly string[]; readonly results: readonly Row[] }

/** Starts a server at ten in the morning of October 5th. */
export async function openMetered(t: Test, environment: Readonly<Record<string, string>> = {}) {
  const dataDirectory = serverFolder(t)
  let server = await ClockedAppliance.start({ dataDirectory, nowMillis: start, environment })
  t.teardown(() => server.kill())
  return {
    get server() {
      return server
    },
    /** Starts the next process on the same data, with the same clock or another. */
    async restart(nowMillis = server.nowMillis) {
      server = await ClockedAppliance.start({ dataDirectory, nowMillis, environment })
    },
    async zone(name: string, projectId: string): Promise<Zone> {
      const body = { name, email: 'ops@example.net' }
      return server.call<Zone>('POST', '/v2/zones', { body, projectId })
    },
  }
}

export const projects = [
  '11111111111111111111111111111111',
  '22222222222222222222222222222222',
] as const

/** Advances the clock by three hours and a moment, so that the present hour and the next are due, and rates. */
export async function rate(server: ClockedAppliance): Promise<void> {
  await server.run('flush-usage')
  await server.advance(3 * hour + 1000)
  await server.run('flush-usage')
  await server.run('rate-usage')
}

/** Sums of the day's points of a metric, by group. */
export async function summary(
  server: ClockedAppliance,
  groupby: readonly string[],
  metric: string,
): Promise<readonly { readonly qty: number; readonly rate: number; readonly key: string }[]> {
  const query = new URLSearchParams({ begin: '2026-10-05T00:00:00', end: '2026-10-06T00:00:00' })
  query.set('filters', `type:${metric}`)
  for (const name of groupby) query.append('groupby', name)
  const { results } = await server.call<Summary>('GET', `/v2/summary?${query}&limit=1000`)
  return results.map(([, , qty, cost, ...values]) => ({
    qty: Number(qty),
    rate: Number(cost),
    key: values.join(' '),
  }))
}

/** Counts by group of the summary. */
export async function queryCounts(server: ClockedAppliance, groupby: readonly string[]) {
  const rows = await summary(server, groupby, 'dns.queries')
  return Object.fromEntries(rows.map(({ key, qty }) => [key, qty * 1e6]))
}

/** All points in export form, never converted to a float. */
export function exported(server: ClockedAppliance): Promise<string> {
  const query = 'begin=2026-10-01T00:00:00&end=2026-11-01T00:00:00'
  return server.call<string>('GET', `/v2/dataframes/export?format=ndjson&${query}`)
}
