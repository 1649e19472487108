// Question: how many queries a second does one answering thread take over UDP, what does an answer cost the server
//   in processor time, and does it lose any at 80% of what it can take, beside other name servers?
// Method: all servers have the same zone and run at once, held to core 0; dnsperf on core 1 loads one after the
//   other, round after round, as fast as it goes, with a mix of hits, misses, aliases, wildcards and referrals
//   spread over the zone. Medians over the rounds. Processor time is that of all processes and threads of the server.
//   Then ours alone, at 80% of its median, for the loss.
// A good number: the C echo does nothing between receiving and sending, so it is the floor. Answering may cost a
//   quarter of it. Where a server's share of its core is well below 100%, dnsperf was the bottleneck, and
//   processor time is the better measure.
// Not measured: a network card and its driver, several threads, IPv6 (which costs the kernel about the same).
// Options: --rounds 5 --seconds 5 --loss-seconds 60 --names 100000 --only zonewright,knot

import { parseArgs } from 'node:util'
import { loadServer } from './load/dnsperf.ts'
import { loadInRounds, type Measured } from './load/rounds.ts'
import { formatComparison } from './report/comparison.ts'
import { machineLine } from './report/machine.ts'
import { median } from './report/median.ts'
import { allPeers, type ContenderName, ours, startContenders } from './servers/contenders.ts'

const serverCore = 0
const loadCore = 1

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    'loss-seconds': { type: 'string', default: '60' },
    names: { type: 'string', default: '100000' },
    only: { type: 'string' },
  },
})

const everybody: readonly ContenderName[] = [ours, ...allPeers, 'plain dns2', 'C echo']
const only = values.only?.split(',')

async function main(): Promise<void> {
  const contenders = await startContenders({
    names: everybody.filter(name => only?.includes(name) ?? true),
    nameCount: Number(values.names),
    queryCount: 200_000,
    core: serverCore,
  })
  const { servers, queryFile } = contenders
  const load = {
    transport: 'udp',
    core: loadCore,
    clients: 4,
    outstanding: 400,
    queryFile,
  } as const
  try {
    const measured = await loadInRounds(servers, {
      load,
      seconds: Number(values.seconds),
      rounds: Number(values.rounds),
    })
    console.log(`${formatComparison(measured, ours)}\n`)
    const own = measured.find(({ server }) => server.name === ours)
    if (own !== undefined) await measureLoss(own, load)
    console.log(machineLine())
  } finally {
    await contenders.close()
  }
}

async function measureLoss(
  { server, results }: Measured,
  load: Omit<Parameters<typeof loadServer>[1], 'seconds'>,
): Promise<void> {
  const seconds = Number(values['loss-seconds'])
  if (seconds === 0) return
  const perSecond = Math.round(0.8 * median(results.map(result => result.answersPerSecond)))
  // Enough that dnsperf never waits for missing answers.
  const outstanding = 20_000
  const result = await loadServer(server, { ...load, seconds, perSecond, outstanding })
  const lostCount = result.sentCount - result.answeredCount
  console.log(
    `${server.name} at ${perSecond.toLocaleString('en')} queries/s for ${seconds} s: ` +
      `${lostCount} of ${result.sentCount} lost ` +
      `(${((100 * lostCount) / result.sentCount).toFixed(4)}%), ` +
      `answers after ${result.averageLatencyMs.toFixed(2)} ms on average\n`,
  )
}

await main()
