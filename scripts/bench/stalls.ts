// Question: how long do large pieces of work hold the event loop, on which the API and all of the store's changes wait?
// Method: the real process, held to core 0. A zone is imported, exported, listed in every order, given another TTL and
//   deleted, and 32 clients create zones and recordsets, each work by itself. Printed is the longest that its main
//   thread computed at a time meanwhile, how often that was more than 20 ms, and the longest delay by the clock, when other
//   threads of the server had the core as well. Answers over DNS do not wait on it: they are given by those threads.
// A good number: none above 20 ms.
// Not measured: the transfer of a zone (`axfr` prints the same of it), the start, before which nobody is served.
// Options: --recordsets 100000 --pages 20 --creations 5000

import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { inParallel } from '../../test/helpers/in-parallel.ts'
import type { HttpClient } from './load/http-client.ts'
import { addressZoneText, origin } from './load/zone.ts'
import { machineLine } from './report/machine.ts'
import { formatTable } from './report/table.ts'
import { stallCells, stallHeadings, stallsOf } from './servers/appliance.ts'
import type { RunningServer } from './servers/running.ts'
import { startWatched } from './servers/watched.ts'

const serverCore = 0
const clientCount = 32
const pageRows = 1000

const { values } = parseArgs({
  options: {
    recordsets: { type: 'string', default: '100000' },
    pages: { type: 'string', default: '20' },
    creations: { type: 'string', default: '5000' },
  },
})

type Work = { readonly title: string; run(): Promise<unknown> }

async function main(): Promise<void> {
  const { server, http } = await startWatched(serverCore)
  try {
    const rows: string[][] = []
    for (const work of worksOn(http)) rows.push(await measure(server, work))
    console.log(`${Number(values.recordsets).toLocaleString('en')} recordsets in a zone\n`)
    console.log(`${formatTable(['', ...stallHeadings, 'took'], rows)}\n`)
    http.close()
  } finally {
    await server.stop()
  }
  console.log(machineLine())
}

async function measure(server: RunningServer, { title, run }: Work): Promise<string[]> {
  const startedAt = performance.now()
  await run()
  const took = `${((performance.now() - startedAt) / 1000).toFixed(1)} s`
  return [title, ...stallCells(await stallsOf(server)), took]
}

function worksOn(http: HttpClient): readonly Work[] {
  const zone = async (): Promise<string> => {
    const { zones } = await call<{ zones: readonly { id: string }[] }>(
      http,
      'GET',
      `/v2/zones?name=${origin}`,
    )
    return `/v2/zones/${zones[0]?.id}`
  }
  return [
    { title: 'import', run: () => runTask(http, '/v2/zones/tasks/imports', zoneFile()) },
    { title: 'what an import leaves to be written', run: () => delay(60_000) },
    ...['name', 'created_at', 'updated_at', 'type'].map(key => ({
      title: `pages of ${pageRows} sorted by ${key}`,
      run: async () => listPages(http, `${await zone()}/recordsets?sort_key=${key}`),
    })),
    {
      title: `pages of ${pageRows} across zones`,
      run: () => listPages(http, '/v2/recordsets?sort_key=name'),
    },
    {
      title: 'a filter that nothing passes',
      run: async () => listPages(http, `${await zone()}/recordsets?data=192.0.2.255`),
    },
    {
      title: 'export',
      run: async () => {
        const { id } = await runTask(http, `${await zone()}/tasks/export`)
        await http.call('GET', `/v2/zones/tasks/exports/${id}/export`)
      },
    },
    {
      title: 'another TTL',
      run: async () => http.call('PATCH', await zone(), { ttl: 600 }),
    },
    { title: `${clientCount} clients create zones`, run: () => createZones(http) },
    {
      title: `${clientCount} clients create recordsets`,
      run: async () => createRecordsets(http, await zone()),
    },
    {
      title: 'deletion',
      run: async () => {
        const path = await zone()
        await http.call('DELETE', path)
        await untilGone(http, path)
      },
    },
    { title: 'what a deletion leaves to be written', run: () => delay(60_000) },
  ]
}

function zoneFile(): string {
  return [`$ORIGIN ${origin}\n`, ...addressZoneText(Number(values.recordsets))].join('')
}

async function call<T>(http: HttpClient, method: string, path: string, body?: unknown): Promise<T> {
  return JSON.parse(await http.call(method, path, body)) as T
}

type Task = { readonly id: string; readonly status: string; readonly message: string }

/** Starts an import or export, and resolves when it is done. */
async function runTask(http: HttpClient, path: string, body?: string): Promise<Task> {
  let task = await call<Task>(http, 'POST', path, body)
  const place = body === undefined ? '/v2/zones/tasks/exports' : path
  while (task.status === 'PENDING') {
    await delay(100)
    task = await call(http, 'GET', `${place}/${task.id}`)
  }
  if (task.status !== 'COMPLETE') throw new Error(`${path}: ${task.message}`)
  return task
}

async function listPages(http: HttpClient, path: string): Promise<void> {
  let marker = ''
  for (let page = 0; page < Number(values.pages); page += 1) {
    const { recordsets } = await call<{ recordsets: readonly { id: string }[] }>(
      http,
      'GET',
      `${path}${path.includes('?') ? '&' : '?'}limit=${pageRows}${marker}`,
    )
    if (recordsets.length < pageRows) return
    marker = `&marker=${recordsets.at(-1)?.id}`
  }
}

async function createZones(http: HttpClient): Promise<void> {
  await inParallel(clientCount, numbers(), i =>
    http.call('POST', '/v2/zones', { name: `zone-${i}.example.`, email: 'hostmaster@example.net' }),
  )
}

async function createRecordsets(http: HttpClient, zone: string): Promise<void> {
  await inParallel(clientCount, numbers(), i =>
    http.call('POST', `${zone}/recordsets`, {
      name: `new${i}.${origin}`,
      type: 'A',
      records: ['192.0.2.1'],
    }),
  )
}

function numbers(): readonly number[] {
  return Array.from({ length: Number(values.creations) }, (_, i) => i)
}

/** Resolves when the zone no longer exists. */
async function untilGone(http: HttpClient, path: string): Promise<void> {
  const isThere = () =>
    http.call('GET', path).then(
      () => true,
      () => false,
    )
  while (await isThere()) await delay(100)
}

await main()
