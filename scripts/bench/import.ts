// Question: what does a zone file cost that is imported, and may the export of it be imported again?
// Method: the real process, held to core 0; a zone of addresses is imported over HTTP. Its time and processor time end with the
//   answer for its last name. Knot, held to the same core, loads the same file, from its start on. Then one record set is
//   changed, and the zone exported, compared line by line with the file, and put in place of itself.
// A good number: at most six times the processor time of Knot, as ours is durable and indexed when it is answered. No stall of
//   ours above 20 ms.
// Not measured: what is written in the background after the answer.
// Options: --size 1000000

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { HttpClient } from './load/http-client.ts'
import { addressZoneText, origin } from './load/zone.ts'
import { machineLine } from './report/machine.ts'
import { formatTable } from './report/table.ts'
import { stallCells, stallHeadings, stallsOf } from './servers/appliance.ts'
import { peerRecipe } from './servers/peers.ts'
import { answers } from './servers/probe.ts'
import { RunningServer } from './servers/running.ts'
import { runTask } from './servers/task.ts'
import { startWatched } from './servers/watched.ts'

const core = 0
const patienceSeconds = 600

const { values } = parseArgs({ options: { size: { type: 'string', default: '1000000' } } })
const size = Number(values.size)
const question = `host${size - 1}.${origin} A`
const changedName = `host${size >> 1}`
const changedAddress = '192.0.2.77'

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  try {
    const text = [`$ORIGIN ${origin}\n`, ...addressZoneText(size)].join('')
    const file = join(folder, 'zone')
    writeFileSync(file, text)
    const rows = [await loadByKnot(file), ...(await measureOurs(text))]
    console.log(`${size.toLocaleString('en')} records\n`)
    console.log(`${formatTable(['', 'took', 'CPU', 'resident', ...stallHeadings], rows)}\n`)
    console.log(machineLine())
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function loadByKnot(file: string): Promise<string[]> {
  const startedAt = performance.now()
  const recipe = peerRecipe('knot', [{ name: origin, file }])
  const server = await RunningServer.start({ name: 'knot', core, recipe })
  try {
    await server.untilReady(() => answers(server, question), { seconds: patienceSeconds })
    return [
      ...row('knot loads it', server, { startedAt, cpuBefore: 0 }),
      ...stallHeadings.map(() => ''),
    ]
  } finally {
    await server.stop()
  }
}

async function measureOurs(text: string): Promise<string[][]> {
  const { server, http } = await startWatched(core)
  const measured = async (title: string, work: () => Promise<unknown>): Promise<string[]> => {
    const start = { startedAt: performance.now(), cpuBefore: server.cpuSeconds() }
    await work()
    const cells = row(title, server, start)
    return [...cells, ...stallCells(await stallsOf(server))]
  }
  try {
    const rows = [
      await measured('import', async () => {
        await runTask(http, '/v2/zones/tasks/imports', text)
        await server.untilReady(() => answers(server, question), { seconds: patienceSeconds })
      }),
    ]
    const zone = await zonePath(http)
    await changeOne(http, zone)
    let exported = ''
    rows.push(
      await measured('export', async () => {
        const { id } = await runTask(http, `${zone}/tasks/export`)
        exported = await http.call('GET', `/v2/zones/tasks/exports/${id}/export`)
      }),
    )
    requireEqual(exported, text)
    rows.push(
      await measured('the same again, in place of itself', () =>
        runTask(http, '/v2/zones/tasks/imports?replace=true', exported),
      ),
    )
    http.close()
    return rows
  } finally {
    await server.stop()
  }
}

function row(
  title: string,
  server: RunningServer,
  { startedAt, cpuBefore }: { readonly startedAt: number; readonly cpuBefore: number },
): string[] {
  const seconds = (performance.now() - startedAt) / 1000
  const cpuSeconds = server.cpuSeconds() - cpuBefore
  const resident = `${Math.round(server.residentOctets() / 1e6)} MB`
  return [title, `${seconds.toFixed(2)} s`, `${cpuSeconds.toFixed(2)} s`, resident]
}

async function zonePath(http: HttpClient): Promise<string> {
  const { zones } = JSON.parse(await http.call('GET', `/v2/zones?name=${origin}`))
  return `/v2/zones/${zones[0].id}`
}

async function changeOne(http: HttpClient, zone: string): Promise<void> {
  const list = await http.call('GET', `${zone}/recordsets?name=${changedName}.${origin}`)
  const { recordsets } = JSON.parse(list)
  await http.call('PUT', `${zone}/recordsets/${recordsets[0].id}`, { records: [changedAddress] })
}

/** @throws Error the export has other hosts than the file, but for the one that was changed */
function requireEqual(exported: string, text: string): void {
  const hostsOf = (lines: string) =>
    (lines.match(/^host.*$/gm) ?? []).map(line => {
      const words = line.split(/\s+/)
      return `${words[0]?.split('.', 1)[0]} ${words.at(-1)}`
    })
  const wanted = hostsOf(text).map(line =>
    line.startsWith(`${changedName} `) ? `${changedName} ${changedAddress}` : line,
  )
  const found = hostsOf(exported)
  if (found.length !== size || found.some((line, i) => line !== wanted[i])) {
    throw new Error('the export is not what was imported')
  }
}

await main()
