// Question: how long does a change set of many recordsets take, and what do other clients notice of it?
// Method: the real process, held to core 0. Four clients, one on each connection, change and show a recordset of a zone of
//   their own by turns, all the time. Another one makes recordsets in one change, replaces them in the next and deletes
//   them in a third. Printed is how long each took, how long the others waited while it was under way and while none was, and the
//   longest that the main thread computed at a time.
// A good number: p99 of the others below 50 ms.
// Not measured: DNS, which other threads answer.
// Options: --recordsets 10000 --rounds 3

import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { HttpClient } from './load/http-client.ts'
import { machineLine } from './report/machine.ts'
import { quantile } from './report/median.ts'
import { formatTable } from './report/table.ts'
import { stallCells, stallHeadings, stallsOf } from './servers/appliance.ts'
import type { RunningServer } from './servers/running.ts'
import { startWatched } from './servers/watched.ts'

const serverCore = 0
const otherClients = 4
const restMs = 2000

const { values } = parseArgs({
  options: {
    recordsets: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '3' },
  },
})

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
  const crowd = await Crowd.of(http)
  const path = `${await zonePath(http, 'large')}/changes`
  const works = [
    { title: 'none', run: () => delay(restMs) },
    { title: 'create', run: () => http.call('POST', path, { create: linesOf('192.0.2.1') }) },
    { title: 'replace', run: () => http.call('POST', path, { replace: linesOf('192.0.2.2') }) },
    { title: 'delete', run: () => http.call('POST', path, { delete: names.map(keyOf) }) },
  ]
  const took = new Map(
    works.map(({ title }) => [title, { work: [] as number[], others: [] as number[] }]),
  )
  const stalls = new Map<string, string[]>()
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    for (const { title, run } of works) {
      await stallsOf(server)
      const startedAt = performance.now()
      let ms = 0
      const waits = await crowd.beside(async () => {
        await run()
        ms = performance.now() - startedAt
      })
      stalls.set(title, stallCells(await stallsOf(server)))
      // The first round warms up.
      if (round === 0) continue
      took.get(title)?.work.push(ms)
      took.get(title)?.others.push(...waits)
    }
  }
  const ms = (times: readonly number[], share: number) => `${quantile(times, share).toFixed(1)} ms`
  const rows = [...took].map(([title, { work, others }]) => {
    const cells = [ms(others, 0.5), ms(others, 0.99), ms(others, 1)]
    return [title, ms(work, 0.5), `${others.length}`, ...cells, ...(stalls.get(title) ?? [])]
  })
  const headings = ['', 'took', 'other calls', 'p50', 'p99', 'longest', ...stallHeadings]
  console.log(`${names.length.toLocaleString('en')} recordsets in a change\n`)
  console.log(`${formatTable(headings, rows)}\n`)
}

/** Clients that are not concerned. */
class Crowd {
  readonly #http: HttpClient
  readonly #paths: readonly string[]

  static async of(http: HttpClient): Promise<Crowd> {
    const paths: string[] = []
    for (let i = 0; i < otherClients; i += 1) {
      const path = `${await zonePath(http, `other${i}`)}/recordsets`
      const made = await http.call('POST', path, { ...keyOf('www'), records: ['192.0.2.1'] })
      paths.push(`${path}/${JSON.parse(made).id}`)
    }
    return new Crowd(http, paths)
  }

  private constructor(http: HttpClient, paths: readonly string[]) {
    this.#http = http
    this.#paths = paths
  }

  /** How long each of their calls took, in ms, while a work was under way. */
  async beside(work: () => Promise<void>): Promise<readonly number[]> {
    const waits: number[] = []
    let isOver = false
    const call = async (path: string) => {
      for (let i = 0; !isOver; i += 1) {
        const startedAt = performance.now()
        const change = { records: [`192.0.2.${i % 250}`] }
        await (i % 2 === 0 ? this.#http.call('GET', path) : this.#http.call('PUT', path, change))
        waits.push(performance.now() - startedAt)
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
