// Question: how fast is a change durable, what do many recordsets cost in memory and on disk, and how long is
//   the store unavailable when it starts again?
// Method: a real directory under the system's folder for temporary files, through the Store itself. One writer
//   after another, then fifty at once, each a recordset a commit; zones of ten recordsets, a zone a commit; one large
//   zone, 100 recordsets a commit; then a checkpoint of all of it while a writer goes on; a change of a recordset in each
//   of the zones, and what checkpoints write of that; and the same directory opened by a fresh process. Run with the
//   recordsets of the large zone and the number of zones, default 50,000 and 5,000: npm run bench -- store 1000000 1000
// A good number: one commit costs the disk's own sync and a few hundred microseconds; fifty writers share a
//   sync, so they make several thousand commits a second; nothing holds the event loop for much more than the
//   5 ms of a time slice; a checkpoint writes 66 files at most, however many zones have changed; 1,000,000 recordsets
//   are back within 8 s, below 200 octets each.
// Not measured: HTTP, validation, publishing to the nameserver; a disk that is slower than this one's; a cold page
//   cache (the files have just been written when they are read again).

import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { systemClock } from '../../src/clock.ts'
import { type FileSystem, realFiles } from '../../src/durable/file-system.ts'
import type { Zone } from '../../src/model/zone.ts'
import { type LowdbStore, openLowdbStore } from '../../src/store/lowdb-store.ts'
import type { Transaction } from '../../src/store/store.ts'
import { inParallel } from '../../test/helpers/in-parallel.ts'
import { recordsetRow, zoneRow } from '../../test/helpers/store-rows.ts'
import { machineLine } from './report/machine.ts'
import { quantile } from './report/median.ts'

const recordsetsPerZone = 10
const recordsetsPerCommit = 100
const writerCount = 50
const commitsAlone = 1000
const commitsTogether = 20_000

/** A fresh process's report on opening the directory. */
type Reopened = {
  readonly openMs: number
  /** Processor time of opening, all threads; what it would take on a machine with nothing else to do. */
  readonly cpuMs: number
  readonly recordsetCount: number
  readonly residentOctets: number
  /** Alive after a collection, in the heap and in array buffers. */
  readonly liveOctets: number
}

async function main(): Promise<void> {
  const [, , first = '50000', second = '5000'] = process.argv
  if (first === 'reopen') {
    console.log(JSON.stringify(await reopen(second)))
    return
  }
  const directory = await mkdtemp(join(tmpdir(), 'zonewright-store-'))
  try {
    await measure(directory, { largeZone: Number(first), zoneCount: Number(second) })
  } finally {
    await rm(directory, { recursive: true })
  }
  console.log(machineLine())
}

async function measure(
  directory: string,
  sizes: { readonly largeZone: number; readonly zoneCount: number },
): Promise<void> {
  print('the disk alone: 300 octets and fdatasync', formatPercentiles(timeSyncs(directory)))
  const written = { files: 0, checkpoints: 0 }
  const store = await openLowdbStore({ directory, clock: systemClock, files: counting(written) })
  const zone = await store.commit(tx => putZone(tx, 'large.example.'))
  await measureCommits(store, zone)
  await measureZones(store, sizes.zoneCount)
  await measureLargeZone(store, zone, sizes.largeZone)
  print('journal', formatOctets(await sizeOf(join(directory, 'journal'))))
  await measureCheckpoint(store, zone)
  await measureChanges(store, written)
  print('all files', formatOctets(await sizeOf(directory)))
  await store.close()
  printReopened(directory)
}

async function measureCommits(store: LowdbStore, zone: Zone): Promise<void> {
  const alone = await timeCommits(store, zone, { count: commitsAlone, writers: 1 })
  print('1 writer', `${alone.perSecond} commits/s, ${formatPercentiles(alone.times)}`)
  const together = await timeCommits(store, zone, { count: commitsTogether, writers: writerCount })
  print(
    `${writerCount} writers`,
    `${together.perSecond} commits/s, ${formatPercentiles(together.times)}`,
  )
}

async function measureZones(store: LowdbStore, count: number): Promise<void> {
  await withLoopDelay(async () => {
    const perSecond = await rateOf(count, () =>
      inParallel(writerCount, numbersBelow(count), async i => {
        await store.commit(tx => {
          const zone = putZone(tx, `zone-${i}.example.`)
          for (let k = 0; k < recordsetsPerZone; k += 1) putRecordset(tx, zone, `host-${k}`)
        })
      }),
    )
    return [`${count} zones of ${recordsetsPerZone} recordsets`, `${perSecond} zones/s`]
  })
}

async function measureLargeZone(store: LowdbStore, zone: Zone, count: number): Promise<void> {
  await withLoopDelay(async () => {
    const perSecond = await rateOf(count, () =>
      inParallel(writerCount, numbersBelow(count / recordsetsPerCommit), async i => {
        await store.commit(tx => {
          for (let k = 0; k < recordsetsPerCommit; k += 1) putRecordset(tx, zone, `host-${i}-${k}`)
        })
      }),
    )
    return [`${count} recordsets in one zone`, `${perSecond} recordsets/s`]
  })
}

/** A checkpoint, and how long a writer waits meanwhile. */
async function measureCheckpoint(store: LowdbStore, zone: Zone): Promise<void> {
  // First waits for a checkpoint already under way, so that ours writes all the rest.
  await store.checkpoint()
  await withLoopDelay(async () => {
    const startedAt = performance.now()
    let isDone = false
    const checkpoint = store.checkpoint().then(() => {
      isDone = true
    })
    const times: number[] = []
    while (!isDone) times.push(await timeCommit(store, zone, `during-${times.length}`))
    await checkpoint
    const seconds = (performance.now() - startedAt) / 1000
    print('a writer meanwhile', formatPercentiles(times))
    return ['checkpoint of all of it', `${seconds.toFixed(1)} s`]
  })
}

/** The machine's files, and how many of them are written. */
function counting(written: { files: number; checkpoints: number }): FileSystem {
  return {
    ...realFiles,
    create(path) {
      written.files += 1
      if (path.includes('manifest.json')) written.checkpoints += 1
      return realFiles.create(path)
    },
  }
}

/** A change in each zone, with its next serial, and all of it checkpointed. */
async function measureChanges(
  store: LowdbStore,
  written: { files: number; checkpoints: number },
): Promise<void> {
  await store.checkpoint()
  const zones = [...store.list('zones', 'all', '')]
  const zonesPerCommit = 100
  const before = { ...written }
  await withLoopDelay(async () => {
    const startedAt = performance.now()
    for (let at = 0; at < zones.length; at += zonesPerCommit) {
      await store.commit(tx => {
        for (const zone of zones.slice(at, at + zonesPerCommit)) putRecordset(tx, zone, 'changed')
      })
    }
    await store.checkpoint()
    const seconds = (performance.now() - startedAt) / 1000
    const checkpoints = written.checkpoints - before.checkpoints
    const each = Math.ceil((written.files - before.files) / checkpoints)
    return [
      `a change in each of ${zones.length} zones`,
      `${seconds.toFixed(1)} s, ${checkpoints} checkpoints of ${each} files`,
    ]
  })
}

async function reopen(directory: string): Promise<Reopened> {
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  const store = await openLowdbStore({ directory, clock: systemClock })
  const openMs = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpuBefore)
  const cpuMs = (user + system) / 1000
  let recordsetCount = 0
  for (const zone of store.list('zones', 'all', ''))
    recordsetCount += store.count('recordsets', 'byZone', zone.id)
  globalThis.gc?.()
  const { rss: residentOctets, heapUsed, arrayBuffers } = process.memoryUsage()
  await store.close()
  return { openMs, cpuMs, recordsetCount, residentOctets, liveOctets: heapUsed + arrayBuffers }
}

function printReopened(directory: string): void {
  const script = import.meta.filename
  const output = execFileSync(
    process.execPath,
    ['--expose-gc', '--disable-warning=ExperimentalWarning', script, 'reopen', directory],
    { encoding: 'utf8' },
  )
  const { openMs, cpuMs, recordsetCount, residentOctets, liveOctets } = JSON.parse(
    output,
  ) as Reopened
  print(
    'opened by a fresh process',
    `${(openMs / 1000).toFixed(2)} s (${(cpuMs / 1000).toFixed(2)} s of processor time), ${recordsetCount} recordsets`,
  )
  const each = Math.round(liveOctets / recordsetCount)
  print('memory in use then', `${formatOctets(liveOctets)}, ${each} octets a recordset`)
  print('resident', formatOctets(residentOctets))
}

function timeSyncs(directory: string): number[] {
  const octets = Buffer.alloc(300, 'x')
  const descriptor = openSync(join(directory, 'sync-probe'), 'a')
  const times = Array.from({ length: 500 }, () => {
    const startedAt = performance.now()
    writeSync(descriptor, octets)
    fdatasyncSync(descriptor)
    return performance.now() - startedAt
  })
  closeSync(descriptor)
  return times
}

async function timeCommits(
  store: LowdbStore,
  zone: Zone,
  { count, writers }: { readonly count: number; readonly writers: number },
): Promise<{ readonly perSecond: number; readonly times: number[] }> {
  const times: number[] = []
  const perSecond = await rateOf(count, () =>
    inParallel(writers, numbersBelow(count), async i => {
      times.push(await timeCommit(store, zone, `w${writers}-${i}`))
    }),
  )
  return { perSecond, times }
}

async function timeCommit(store: LowdbStore, zone: Zone, label: string): Promise<number> {
  const startedAt = performance.now()
  await store.commit(tx => putRecordset(tx, zone, label))
  return performance.now() - startedAt
}

function putZone(tx: Transaction, name: string): Zone {
  const zone = zoneRow({ ...newStamp(tx), name })
  tx.put('zones', zone)
  return zone
}

/** What creating a recordset writes: the recordset, and its zone's next serial. */
function putRecordset(tx: Transaction, { id }: Zone, label: string): void {
  const zone = tx.get('zones', id)
  if (zone === undefined) throw new Error(`no zone ${id}`)
  tx.put('zones', { ...zone, version: zone.version + 1, serial: zone.serial + 1 })
  const name = `${label}.${zone.name}`
  tx.put('recordsets', recordsetRow({ ...newStamp(tx), zoneId: zone.id, name }))
}

function newStamp(tx: Transaction) {
  return { id: randomUUID(), version: 1, createdAt: tx.atMicros, updatedAt: null }
}

function numbersBelow(count: number): readonly number[] {
  return Array.from({ length: Math.ceil(count) }, (_, i) => i)
}

async function rateOf(count: number, work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return Math.round((count / (performance.now() - startedAt)) * 1000)
}

/** Prints what `work` found, with the longest the event loop was held up meanwhile: by what this thread computed, so that
 *  other programs are not in it, and by the clock. */
async function withLoopDelay(work: () => Promise<readonly [string, string]>): Promise<void> {
  const resolutionMs = 1
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  let [last, longestCpuMs] = [threadCpuMillis(), 0]
  const watch = setInterval(() => {
    const now = threadCpuMillis()
    longestCpuMs = Math.max(longestCpuMs, now - last)
    last = now
  }, resolutionMs)
  const [what, value] = await work()
  clearInterval(watch)
  delay.disable()
  const longestMs = Math.max(0, delay.max / 1e6 - resolutionMs).toFixed(0)
  const held = `${longestCpuMs.toFixed(1)} ms at most, by the clock ${longestMs} ms`
  print(what, `${value}, event loop held up ${held}`)
}

function threadCpuMillis(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

async function sizeOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile())
  let octets = 0
  for (const { parentPath, name } of files) octets += (await stat(join(parentPath, name))).size
  return octets
}

function formatPercentiles(times: readonly number[]): string {
  const at = (share: number) => quantile(times, share).toFixed(2)
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms`
}

function formatOctets(octets: number): string {
  return `${(octets / 1e6).toFixed(1)} MB`
}

function print(what: string, value: string): void {
  console.log(`${what.padEnd(42)} ${value}`)
}

await main()
