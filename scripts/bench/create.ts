// Question: how fast are zones and recordsets created through the API, how much memory does the server then take, and how
//   long is it unavailable when it starts again?
// Method: the real process on an empty directory, 32 clients over HTTP in this one, each waiting for an answer
//   before its next request: first the zones, then recordsets spread over them evenly. Every answer means: on
//   the disk and served. Then a stop, a start, and the time until it serves. Run with the number of zones and of
//   recordsets, default 5,000 and 50,000: npm run bench -- create 100 10000
// A good number: above 1,000 recordsets a second with clients and server on the same two cores, below 400 MB
//   resident, and served again within 3 s of a start.
// Not measured: one client's latency on an idle server (see `1 writer` of store.ts for the share of the disk),
//   clients on another machine, TLS, a larger zone than a few recordsets.

import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Appliance } from '../../test/helpers/appliance.ts'
import { inParallel } from '../../test/helpers/in-parallel.ts'
import { machineLine } from './report/machine.ts'
import { quantile } from './report/median.ts'

const clientCount = 32

async function main(): Promise<void> {
  const [, , zones = '5000', recordsets = '50000'] = process.argv
  const dataDirectory = await mkdtemp(join(tmpdir(), 'zonewright-create-'))
  try {
    await measure(dataDirectory, { zoneCount: Number(zones), recordsetCount: Number(recordsets) })
  } finally {
    await rm(dataDirectory, { recursive: true })
  }
  console.log(machineLine())
}

type Sizes = { readonly zoneCount: number; readonly recordsetCount: number }

async function measure(dataDirectory: string, { zoneCount, recordsetCount }: Sizes): Promise<void> {
  let server = await Appliance.start({ dataDirectory })
  try {
    await server.liftQuotas()
    print('resident, empty', residentText(server))
    const ids = await timed(`${zoneCount} zones`, zoneCount, i => createZone(server, i))
    await timed(`${recordsetCount} recordsets`, recordsetCount, i =>
      createRecordset(server, { zone: i % zoneCount, id: ids[i % zoneCount], number: i }),
    )
    print('resident, filled', residentText(server))
    const stopMs = await timeOf(() => server.stop())
    const startMs = await timeOf(async () => {
      server = await Appliance.start({ dataDirectory })
    })
    print('stopped', `${(stopMs / 1000).toFixed(2)} s`)
    print('serves again', `${(startMs / 1000).toFixed(2)} s after its start`)
    print('resident, started again', residentText(server))
  } finally {
    await server.kill()
  }
}

async function createZone(server: Appliance, i: number): Promise<string> {
  const body = { name: `zone-${i}.example.`, email: 'hostmaster@example.net', ttl: 3600 }
  return (await server.json<{ id: string }>('POST', '/v2/zones', body)).id
}

async function createRecordset(
  server: Appliance,
  { zone, id, number }: { zone: number; id: string | undefined; number: number },
): Promise<void> {
  const name = `host-${number}.zone-${zone}.example.`
  const body = { name, type: 'A', records: [`192.0.2.${number % 256}`] }
  await server.json('POST', `/v2/zones/${id}/recordsets`, body)
}

/** Runs `work` for every number below `count` and prints how fast; the slowest too, because an average hides
 *  a server that stood still. */
async function timed<T>(
  what: string,
  count: number,
  work: (i: number) => Promise<T>,
): Promise<T[]> {
  const times: number[] = []
  const startedAt = performance.now()
  const numbers = Array.from({ length: count }, (_, i) => i)
  const results = await inParallel(clientCount, numbers, async i => {
    const askedAt = performance.now()
    const result = await work(i)
    times.push(performance.now() - askedAt)
    return result
  })
  const perSecond = Math.round((count / (performance.now() - startedAt)) * 1000)
  const at = (share: number) => quantile(times, share).toFixed(0)
  print(what, `${perSecond} a second; p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms`)
  return results
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

function residentText(server: Appliance): string {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])
  return `${((kilobytes * 1024) / 1e6).toFixed(0)} MB`
}

function print(what: string, value: string): void {
  console.log(`${what.padEnd(32)} ${value}`)
}

await main()
