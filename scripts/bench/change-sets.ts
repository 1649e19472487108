// Question: how long does a change set of many recordsets take, and how does it affect other clients?
// Method: the real process, held to core 0. Four clients, one on each connection, change and show a recordset of a zone of
//   their own by turns, all the time. Another one makes recordsets in one change, replaces them in the next and deletes
//   them in a third. Printed is how long each took, how long the others waited while it was under way and while none was, by the
//   clock and by what the main thread computed meanwhile, the processor time of the server's other threads (V8's, that collect
//   garbage and optimize code, share the core here), and the longest that the main thread computed at a time. The first rounds are not
//   counted: in these, V8's threads compute as much as the main thread.
// A good number: p99 of the others below 50 ms; on a machine that has other work, by what the main thread computed.
// Not measured: DNS, which other threads answer.
// Options: --recordsets 10000 --rounds 3 --warm-ups 3

import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { HttpClient } from './load/http-client.ts'
import { machineLine } from './report/machine.ts'
import { quantile } from './report/median.ts'
import { formatTable } from './report/table.ts'
import { stallCells, stallHeadings, stallsOf } from './servers/appliance.ts'
import { cpuMillis } from './servers/health-watch.ts'
import type { RunningServer } from './servers/running.ts'
import { startWatched } from './servers/watched.ts'

const serverCore = 0
const otherClients = 4
const restMs = 2000

const { values } = parseArgs({
  options: {
    recordsets: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '3' },
    'warm-ups': { type: 'string', default: '3' },
  },
})

type Wait = { readonly ms: number; readonly cpuMs: number }
type Work = Wait & { readonly otherCpuMs: number }

const names = Array.from({ length: Number(values.recordsets) }, (_, i) => `h${i}`)

async function main(): Promise<void> {
  const { server, http } = await startWatched(serverCore)
  try {
    await compare(server, http)
    http.close()
  } finally {
    await server.stop()
  }
  console.log(machineLine())
}

async function compare(server: RunningServer, http: HttpClient): Promise<void> {
  const crowd = await Crowd.of(http, () => cpuMillis(server))
  const path = `${await zonePath(http, 'large')}/changes`
  const works = [
    { title: 'none', run: () => delay(restMs) },
    { title: 'create', run: () => http.call('POST', path, { create: linesOf('192.0.2.1') }) },
    { title: 'replace', run: () => http.call('POST', path, { replace: linesOf('192.0.2.2') }) },
    { title: 'delete', run: () => http.call('POST', path, { delete: names.map(keyOf) }) },
  ]
  const all = new Map(
    works.map(({ title }) => [title, { work: [] as Work[], others: [] as Wait[] }]),
  )
  const stalls = new Map<string, string[]>()
  const warmUps = Number(values['warm-ups'])
  for (let round = 0; round < warmUps + Number(values.rounds); round += 1) {
    for (const { title, run } of works) {
      await stallsOf(server)
      const startedAt = performance.now()
      const [cpuBefore, allBefore] = [cpuMillis(server), server.cpuSeconds()]
      let took: Work | undefined
      const waits = await crowd.beside(async () => {
        await run()
        const [ms, cpuMs] = [performance.now() - startedAt, cpuMillis(server) - cpuBefore]
        took = { ms, cpuMs, otherCpuMs: (server.cpuSeconds() - allBefore) * 1000 - cpuMs }
      })
      stalls.set(title, stallCells(await stallsOf(server)))
      if (round < warmUps) continue
      all.get(title)?.work.push(...(took === undefined ? [] : [took]))
      all.get(title)?.others.push(...waits)
    }
  }
  const both = (waits: readonly Wait[], share: number) => {
    const [ms, cpuMs] = [waits.map(({ ms }) => ms), waits.map(({ cpuMs }) => cpuMs)]
    return `${quantile(ms, share).toFixed(1)} (${quantile(cpuMs, share).toFixed(1)}) ms`
  }
  const rows = [...all].map(([title, { work, others }]) => {
    const cells = [both(others, 0.5), both(others, 0.99), both(others, 1)]
    const otherCpuMs = quantile(
      work.map(({ otherCpuMs }) => otherCpuMs),
      0.5,
    )
    const took = [both(work, 0.5), `${otherCpuMs.toFixed(0)} ms`]
    return [title, ...took, `${others.length}`, ...cells, ...(stalls.get(title) ?? [])]
  })
  const headings = [
    '',
    'took',
    'other threads',
    'other calls',
    'p50',
    'p99',
    'longest',
    ...stallHeadings,
  ]
  console.log('by the clock (by what the main thread computed meanwhile)')
  console.log(`${names.length.toLocaleString('en')} recordsets in a change\n`)
  console.log(`${formatTable(headings, rows)}\n`)
}

/** Clients that are not part of the change set. */
class Crowd {
  readonly #http: HttpClient
  readonly #paths: readonly string[]
  readonly #cpuMillis: () => number

  static async of(http: HttpClient, cpuMillis: () => number): Promise<Crowd> {
    const paths: string[] = []
    for (let i = 0; i < otherClients; i += 1) {
      const path = `${await zonePath(http, `other${i}`)}/recordsets`
      const made = await http.call('POST', path, { ...keyOf('www'), records: ['192.0.2.1'] })
      paths.push(`${path}/${JSON.parse(made).id}`)
    }
    return new Crowd(http, paths, cpuMillis)
  }

  private constructor(http: HttpClient, paths: readonly string[], cpuMillis: () => number) {
    this.#cpuMillis = cpuMillis
    this.#http = http
    this.#paths = paths
  }

  /** The durations of their calls while a change set was under way. */
  async beside(work: () => Promise<void>): Promise<readonly Wait[]> {
    const waits: Wait[] = []
    let isOver = false
    const call = async (path: string) => {
      for (let i = 0; !isOver; i += 1) {
        const startedAt = performance.now()
        const cpuBefore = this.#cpuMillis()
        const change = { records: [`192.0.2.${i % 250}`] }
        await (i % 2 === 0 ? this.#http.call('GET', path) : this.#http.call('PUT', path, change))
        waits.push({ ms: performance.now() - startedAt, cpuMs: this.#cpuMillis() - cpuBefore })
      }
    }
    const calls = this.#paths.map(call)
    await work().finally(() => {
      isOver = true
    })
    await Promise.all(calls)
    return waits
  }
}

async function zonePath(http: HttpClient, label: string): Promise<string> {
  const body = { name: `${label}.example.`, email: 'ops@example.com' }
  return `/v2/zones/${JSON.parse(await http.call('POST', '/v2/zones', body)).id}`
}

function keyOf(name: string) {
  return { name, type: 'A' }
}

function linesOf(record: string) {
  return names.map(name => ({ ...keyOf(name), records: [record] }))
}

await main()
