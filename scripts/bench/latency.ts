// Question: how long do single queries wait while the server answers half of what it can, and do they wait longer
//   while 200 record changes a second are committed?
// Method: the server held to core 0, its API and its store included. On core 1 dnsperf loads it at half of what it
//   takes, a small program beside it asks one query each millisecond and times it, and in every second round 200
//   changes a second come in over HTTP, each to another recordset. Rounds with and without changes take turns.
//   Their times are put together.
// A good number: p99 with changes at most twice that without.
// Not measured: a machine on which the API has a core of its own, which is the usual one.
// Options: --rounds 5 --seconds 5 --names 100000 --changes 200

import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'
import { queryFor } from '../../test/helpers/ask.ts'
import { loadServer } from './load/dnsperf.ts'
import { origin } from './load/zone.ts'
import { machineLine } from './report/machine.ts'
import { quantile } from './report/median.ts'
import { formatTable } from './report/table.ts'
import { type Api, apiOf } from './servers/appliance.ts'
import { ours, startContenders } from './servers/contenders.ts'
import type { RunningServer } from './servers/running.ts'

const serverCore = 0
const loadCore = 1
const intervalMicros = 1000
const recordsetCount = 100

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    names: { type: 'string', default: '100000' },
    changes: { type: 'string', default: '200' },
  },
})

const seconds = Number(values.seconds)
const run = promisify(execFile)

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const contenders = await startContenders({
    names: [ours, 'knot'],
    nameCount: Number(values.names),
    queryCount: 200_000,
    core: serverCore,
  })
  try {
    const program = join(folder, 'probe')
    execFileSync('cc', ['-O2', '-o', program, join(import.meta.dirname, 'probe.c')])
    const [server] = contenders.servers
    if (server === undefined) throw new Error('no server')
    await compare(server, { program, queryFile: contenders.queryFile })
    console.log(machineLine())
  } finally {
    await contenders.close()
    rmSync(folder, { recursive: true })
  }
}

type Tools = { readonly program: string; readonly queryFile: string }

async function compare(server: RunningServer, { program, queryFile }: Tools): Promise<void> {
  const load = { transport: 'udp', core: loadCore, clients: 4, queryFile, seconds } as const
  await loadServer(server, { ...load, outstanding: 400 })
  const { answersPerSecond } = await loadServer(server, { ...load, outstanding: 400 })
  const perSecond = Math.round(answersPerSecond / 2)
  const changer = await Changer.open(await apiOf(server))
  const times = { without: [] as number[], with: [] as number[] }
  let changeCount = 0
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const kind of ['without', 'with'] as const) {
      const [, answered, count] = await Promise.all([
        loadServer(server, { ...load, perSecond, outstanding: 20_000 }),
        probe(server, program),
        kind === 'with' ? changer.run() : 0,
      ])
      times[kind].push(...answered)
      changeCount += count
    }
  }
  const changesPerSecond = changeCount / (seconds * Number(values.rounds))
  console.log(
    `${perSecond.toLocaleString('en')} queries/s, ${changesPerSecond.toFixed(0)} changes/s or none\n`,
  )
  const rows = (['without', 'with'] as const).map(kind => [kind, ...figures(times[kind])])
  console.log(`${formatTable(['changes', 'p50', 'p99', 'p99.9', 'longest', 'lost'], rows)}\n`)
}

/** Sends queries for the length of a round; returns the microseconds of each answer, -1 for none. */
async function probe({ port }: RunningServer, program: string): Promise<readonly number[]> {
  const query = Buffer.from(queryFor(`host1.${origin} A`)).toString('hex')
  const count = Math.floor((seconds * 1e6) / (intervalMicros * 1.2))
  const words = [program, port, intervalMicros, count, query].map(String)
  const { stdout } = await run('taskset', ['--cpu-list', `${loadCore}`, ...words])
  return stdout.trimEnd().split('\n').map(Number)
}

/** Changes recordsets of a zone of its own at a steady rate. */
class Changer {
  readonly #api: Api
  readonly #paths: readonly string[]
  #next = 0

  private constructor(api: Api, paths: readonly string[]) {
    this.#api = api
    this.#paths = paths
  }

  static async open(api: Api): Promise<Changer> {
    const name = 'changing.example.'
    const zone = await api.post('/v2/zones', { name, email: 'hostmaster@example.net' })
    const path = `/v2/zones/${zone.id}/recordsets`
    const paths: string[] = []
    for (let i = 0; i < recordsetCount; i += 1) {
      const body = { name: `host${i}.${name}`, type: 'A', records: ['192.0.2.1'] }
      paths.push(`${path}/${(await api.post(path, body)).id}`)
    }
    return new Changer(api, paths)
  }

  /** Runs for as long as a round lasts; resolves with the number of changes. */
  async run(): Promise<number> {
    const changes: Promise<unknown>[] = []
    const startedAt = performance.now()
    for (;;) {
      const elapsed = (performance.now() - startedAt) / 1000
      if (elapsed >= seconds) break
      while (changes.length < elapsed * Number(values.changes)) changes.push(this.#change())
      await delay(1)
    }
    await Promise.all(changes)
    return changes.length
  }

  #change(): Promise<unknown> {
    this.#next += 1
    const path = this.#paths[this.#next % this.#paths.length] ?? ''
    return this.#api.put(path, { records: [`192.0.2.${this.#next % 250}`] })
  }
}

function figures(times: readonly number[]): string[] {
  const answered = times.filter(time => time >= 0)
  const at = [0.5, 0.99, 0.999, 1].map(share => `${quantile(answered, share).toFixed(0)} µs`)
  return [...at, String(times.length - answered.length)]
}

await main()
