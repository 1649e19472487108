// Question: what does it cost a primary to send a zone by AXFR, and its changes by IXFR?
// Method: ours, Knot, NSD and BIND have the same zone file, all on core 0, and one of them at a time sends it to a client of this process
//   that counts the records and drops them; rounds in turns, and the median of each. Resident memory is looked at 20
//   times a second. Then, in each of more rounds, kdig fetches the zone of ours with the lowest priority, on core 1,
//   and questions over UDP are asked one after the other, meanwhile and for as long behind it; the p99 of each, and the
//   median of their ratios. Then one name of ours is changed, and the difference asked for by IXFR so often that it can
//   be measured.
// A good number: at least BIND's rate, at most twice Knot's processor time, less than 64 MB more memory; the p99 of answers during a
//   transfer within 1.5 times that without; an IXFR of one change in a million records under 5 ms of processor time.
// Not measured: TLS, TSIG, the cost of a slow reader. On a machine with other load, that load determines the p99.
// Options: --size 1000000, --rounds 5, --answer-rounds 15

import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { FrameReader } from '../../src/transport/frames.ts'
import { queryFor } from '../../test/helpers/ask.ts'
import { frame } from '../../test/helpers/tcp-client.ts'
import { transferQuery } from '../../test/helpers/zone-difference.ts'
import { HttpClient } from './load/http-client.ts'
import { addressZoneText, origin } from './load/zone.ts'
import { machineLine } from './report/machine.ts'
import { median } from './report/median.ts'
import { formatTable } from './report/table.ts'
import { apiOf, apiUrl, applianceRecipe, liftQuotas } from './servers/appliance.ts'
import { ours } from './servers/contenders.ts'
import { peerRecipe, type SecondaryName } from './servers/peers.ts'
import { answers } from './servers/probe.ts'
import { apiToken, host, RunningServer } from './servers/running.ts'
import { runTask } from './servers/task.ts'

const core = 0
const clientCore = 1
const patienceSeconds = 600
const peers: readonly SecondaryName[] = ['knot', 'nsd', 'bind']
const ixfrCount = 200

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    'answer-rounds': { type: 'string', default: '15' },
  },
})
const size = Number(values.size)
/** SOA, NS, an address, and the SOA once more. */
const recordCount = size + 4
const question = `host${size - 1}.${origin} A`

type Sent = { readonly seconds: number; readonly cpuSeconds: number; readonly grownOctets: number }

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const servers: RunningServer[] = []
  try {
    const text = [`$ORIGIN ${origin}\n`, ...addressZoneText(size)].join('')
    const file = join(folder, 'zone')
    writeFileSync(file, text)
    for (const name of peers) {
      const recipe = peerRecipe(name, [{ name: origin, file }])
      servers.push(await RunningServer.start({ name, core, recipe }))
    }
    const appliance = await RunningServer.start({ name: ours, core, recipe: applianceRecipe })
    servers.push(appliance)
    const http = new HttpClient(await apiUrl(appliance), { 'x-auth-token': apiToken })
    await liftQuotas(await apiOf(appliance))
    await runTask(http, '/v2/zones/tasks/imports', text)
    const attributes = { allow_transfer: host }
    await http.call('PATCH', `/v2/zones/${origin}`, { attributes })
    for (const server of servers)
      await server.untilReady(() => answers(server, question), { seconds: patienceSeconds })
    for (const server of servers) await server.untilIdle(2)
    await measureZones(servers)
    await measureAnswers(appliance)
    await measureDifference(appliance, http)
    http.close()
    console.log(machineLine())
  } finally {
    await Promise.all(servers.map(server => server.stop()))
    rmSync(folder, { recursive: true })
  }
}

async function measureZones(servers: readonly RunningServer[]): Promise<void> {
  const sent = new Map<string, Sent[]>(servers.map(({ name }) => [name, []]))
  // The first one of each maps what it needs.
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    for (const server of servers) {
      const one = await fetchZone(server)
      if (round > 0) sent.get(server.name)?.push(one)
    }
  }
  const of = (name: string, pick: (one: Sent) => number) => median((sent.get(name) ?? []).map(pick))
  const knotCpu = of('knot', one => one.cpuSeconds)
  const rows = servers.map(({ name }) => {
    const seconds = of(name, one => one.seconds)
    const cpu = of(name, one => one.cpuSeconds)
    const grown = Math.max(...(sent.get(name) ?? []).map(one => one.grownOctets))
    return [
      name,
      `${seconds.toFixed(2)} s`,
      `${Math.round(recordCount / seconds / 1000)} k/s`,
      `${cpu.toFixed(2)} s`,
      (cpu / knotCpu).toFixed(2),
      `${Math.round(grown / 1e6)} MB`,
    ]
  })
  const headings = ['AXFR', 'took', 'records', 'CPU', '÷ Knot', 'memory']
  console.log(`${recordCount.toLocaleString('en')} records, ${values.rounds} rounds\n`)
  console.log(`${formatTable(headings, rows)}\n`)
}

async function fetchZone(server: RunningServer): Promise<Sent> {
  const residentBefore = server.residentOctets()
  let most = residentBefore
  const looking = setInterval(() => {
    most = Math.max(most, server.residentOctets())
  }, 50)
  const cpuBefore = server.cpuSeconds()
  const startedAt = performance.now()
  await readRecords(server, transferQuery(origin), recordCount)
  const seconds = (performance.now() - startedAt) / 1000
  const cpuSeconds = server.cpuSeconds() - cpuBefore
  clearInterval(looking)
  return { seconds, cpuSeconds, grownOctets: most - residentBefore }
}

/** Resolves when so many records have arrived.
 *  @throws Error the connection was closed before */
async function readRecords(
  { name, port }: RunningServer,
  query: Uint8Array,
  wantedCount: number,
): Promise<void> {
  const socket = connect({ host, port })
  await once(socket, 'connect')
  socket.write(frame(query))
  const frames = new FrameReader()
  let count = 0
  for await (const segment of socket) {
    frames.push(segment as Uint8Array)
    for (let message = frames.next(); message !== undefined; message = frames.next()) {
      const rcode = (message[3] ?? 0) & 0xf
      if (rcode !== 0) throw new Error(`${name} answers with rcode ${rcode}`)
      count += ((message[6] ?? 0) << 8) | (message[7] ?? 0)
    }
    if (count >= wantedCount) return
  }
  throw new Error(`${name} has closed after ${count} records`)
}

/** Each round is a transfer and an equal time without one, so other load on the machine affects both equally. */
async function measureAnswers({ port }: RunningServer): Promise<void> {
  const during: number[] = []
  const without: number[] = []
  const ratios: number[] = []
  let answerCount = 0
  for (let round = 0; round <= Number(values['answer-rounds']); round += 1) {
    const kdig = ['kdig', `@${host}`, '-p', `${port}`, '+tcp', origin, 'AXFR']
    const reader = spawn('taskset', ['-c', `${clientCore}`, 'nice', '-n', '19', ...kdig], {
      stdio: 'ignore',
    })
    const startedAt = performance.now()
    const one = await askUntil(port, () => reader.exitCode !== null)
    const endsAt = 2 * performance.now() - startedAt
    const other = await askUntil(port, () => performance.now() > endsAt)
    // The first transfers run code that is not compiled yet.
    if (round === 0) continue
    during.push(p99(one))
    without.push(p99(other))
    ratios.push(p99(one) / p99(other))
    answerCount += one.length
  }
  console.log(
    `p99 of answers, median of ${ratios.length} rounds: during AXFR ${median(during).toFixed(3)} ms (${answerCount} answers), without ${median(without).toFixed(3)} ms`,
  )
  const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
  console.log(`ratio, median of the rounds': ${median(ratios).toFixed(2)} (${range})\n`)
}

/** Sends one query after the other, and returns the milliseconds that each answer took. */
async function askUntil(port: number, isOver: () => boolean): Promise<number[]> {
  const socket = createSocket('udp4')
  socket.connect(port, host)
  await once(socket, 'connect')
  const request = queryFor(question)
  const found: number[] = []
  while (!isOver()) {
    const askedAt = performance.now()
    socket.send(request)
    await once(socket, 'message', { signal: AbortSignal.timeout(10_000) })
    found.push(performance.now() - askedAt)
  }
  socket.close()
  return found
}

function p99(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length * 0.99)] ?? Number.NaN
}

async function measureDifference(server: RunningServer, http: HttpClient): Promise<void> {
  const { serial } = JSON.parse(await http.call('GET', `/v2/zones/${origin}`))
  const recordset = { name: `new.${origin}`, type: 'A', records: ['192.0.2.9'] }
  await http.call('POST', `/v2/zones/${origin}/recordsets`, recordset)
  await server.untilIdle(2)
  const cpuBefore = server.cpuSeconds()
  // The SOA four times, and the new record.
  for (let i = 0; i < ixfrCount; i += 1) await readRecords(server, transferQuery(origin, serial), 5)
  const ms = ((server.cpuSeconds() - cpuBefore) / ixfrCount) * 1000
  console.log(
    `IXFR of one change, ${ixfrCount} times: ${ms.toFixed(2)} ms of processor time each\n`,
  )
}

await main()
