// Question: how long does a server take to check all its data, and do clients notice?
// Method: the real process on a store of 100,000 zones and of one zone with 100,000 recordsets more. It is asked to
//   check itself, five times; the processor time of its main thread is taken, and the waits of a client that asked for
//   its health meanwhile, beside the same client's waits without a check. Then the program checks the same
//   directory without a server. Run with the number of zones and of recordsets: npm run bench -- check 100000 100000
// A good number: below 30 µs a recordset, and a client that hardly notices: a time slice of 5 ms more.
// Not measured: changes at the same time (the tests have them), queries.

import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Appliance, mainFile } from '../../test/helpers/appliance.ts'
import { fillStore } from './load/long-lists.ts'
import { machineLine } from './report/machine.ts'
import { median } from './report/median.ts'
import { cpuMillis, type Waits, watchHealth } from './servers/health-watch.ts'

const roundCount = 5

type Report = {
  readonly is_consistent: boolean
  readonly counts: { readonly recordsets: number }
}

async function main(): Promise<void> {
  const [, , zones = '100000', recordsets = '100000'] = process.argv
  const dataDirectory = await mkdtemp(join(tmpdir(), 'zonewright-check-'))
  try {
    const sizes = { zoneCount: Number(zones), recordsetCount: Number(recordsets) }
    await fillStore(dataDirectory, sizes)
    const server = await Appliance.start({ dataDirectory })
    try {
      await measure(server)
    } finally {
      await server.stop()
    }
    const startedAt = performance.now()
    const environment = { PATH: process.env.PATH, ZONEWRIGHT_DATA_DIR: dataDirectory }
    execFileSync(process.execPath, [mainFile, 'check'], { env: environment })
    print('without a server', `${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  } finally {
    await rm(dataDirectory, { recursive: true })
  }
  console.log(machineLine())
}

async function measure(server: Appliance): Promise<void> {
  const quiet = watchHealth(server)
  await pause(2000)
  print('a client without a check', formatWaits(await quiet.stop()))
  const times: number[] = []
  let recordsetCount = 0
  const watch = watchHealth(server)
  for (let round = 0; round < roundCount; round += 1) {
    const before = cpuMillis(server)
    const report = await server.json<Report>('POST', '/admin/check')
    times.push(cpuMillis(server) - before)
    if (!report.is_consistent) throw new Error('the check has found something')
    recordsetCount = report.counts.recordsets
  }
  print('a client meanwhile', formatWaits(await watch.stop()))
  const cpuMs = median(times)
  // The waiting client is answered in the same time.
  print('check', `${(cpuMs / 1000).toFixed(2)} s of processor time, ${recordsetCount} recordsets`)
  print('', `${((cpuMs * 1000) / recordsetCount).toFixed(1)} µs a recordset`)
}

function formatWaits({ mostMs, longestCpuMs }: Waits): string {
  const computed = `${longestCpuMs.toFixed(1)} ms at most computed meanwhile`
  return `19 of 20 waits below ${mostMs.toFixed(1)} ms, ${computed}`
}

function print(what: string, value: string): void {
  console.log(`${what.padEnd(28)} ${value}`)
}

await main()
