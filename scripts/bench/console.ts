// Question: how quick are the pages of the console where there is much to show, and do they stay small?
// Method: Debian's chromium at the real process on a store of 100,000 zones and of one zone with 100,000 recordsets more.
//   What the browser loads until the first list is there. A click on the list of zones, and on the large zone, until
//   rows are painted, 21 times each, every second one traced instead: by the clock, other processes count as well. Both
//   tables scrolled through 400 frames, with the processor time of the longest task of the page's thread. Live charts for
//   an hour of the page's clock (or so many minutes), with the heap after ten minutes (when the charts are full) and
//   after the hour, each after a collection. Run with the sizes: npm run bench -- console 100000 100000 60
// A good number: first load below 150 kB; both clicks below 100 ms (median); no task above 50 ms; a flat heap.
// Not measured: slow networks, other browsers.

import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Browser, chromium, type Page } from 'playwright-core'
import { Appliance } from '../../test/helpers/appliance.ts'
import { consoleBuild, isConsoleBuilt } from '../run/console.mjs'
import { fillStore, largeZone } from './load/long-lists.ts'
import { machineLine } from './report/machine.ts'
import { median, quantile } from './report/median.ts'
import { formatTable } from './report/table.ts'

const password = 'the-password-of-the-bench'
const clicks = 21
const scrolledFrames = 400
const fullSeconds = 600
const lookSeconds = 2

async function main(): Promise<void> {
  const [, , zones = '100000', recordsets = '100000', minutes = '60'] = process.argv
  if (!isConsoleBuilt()) spawnSync(process.execPath, consoleBuild, { stdio: 'inherit' })
  const dataDirectory = await mkdtemp(join(tmpdir(), 'zonewright-console-'))
  try {
    const sizes = { zoneCount: Number(zones), recordsetCount: Number(recordsets) }
    await fillStore(dataDirectory, sizes)
    const environment = { ZONEWRIGHT_ADMIN_PASSWORD: password }
    const server = await Appliance.start({ dataDirectory, environment })
    const browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu'],
    })
    try {
      console.log(formatTable(['', 'figure'], await measure(server, browser)))
      console.log(await measureLive(server, browser, Number(minutes) * 60))
    } finally {
      await browser.close()
      await server.kill()
    }
  } finally {
    await rm(dataDirectory, { recursive: true })
  }
  console.log(machineLine())
}

async function measure(server: Appliance, browser: Browser): Promise<string[][]> {
  const page = await (await browser.newContext()).newPage()
  const bodies: Promise<Buffer>[] = []
  page.on('response', response => {
    if (response.url().includes('/console')) bodies.push(response.body().catch(() => Buffer.of()))
  })
  await page.goto(`${server.apiUrl}/console/`)
  await page.getByLabel('User', { exact: true }).waitFor()
  const firstPaint = await page.evaluate<number>(
    `performance.getEntriesByName('first-contentful-paint')[0].startTime`,
  )
  await page.getByLabel('User', { exact: true }).fill('admin')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('.zones tbody a').first().waitFor()
  const loaded = await Promise.all(bodies)
  const rows = [['first load', `${sizeOf(loaded)}; first paint after ${milliseconds(firstPaint)}`]]
  rows.push(...(await measureLists(page, browser)))
  return rows
}

async function measureLists(page: Page, browser: Browser): Promise<string[][]> {
  const zonesTimes: number[] = []
  const zoneTimes: number[] = []
  const zonesTasks: number[] = []
  const zoneTasks: number[] = []
  await page.getByLabel('Filter by name').fill(largeZone)
  const link = page.getByRole('link', { name: largeZone, exact: true })
  const href = await link.getAttribute('href')
  await link.click()
  await page.locator('.records tbody tr').first().waitFor()
  for (let i = 0; i < clicks; i += 1) {
    const toZones = () => painted(page, 'a[href="/console"]', '.zones tbody a')
    const toZone = () => painted(page, `a[href="${href}"]`, '.records tbody td')
    const isTraced = i % 2 === 1
    if (isTraced) zonesTasks.push(sum(await traced(page, browser, toZones)))
    else zonesTimes.push(await toZones())
    await page.getByLabel('Filter by name').fill(largeZone)
    await link.waitFor()
    if (isTraced) zoneTasks.push(sum(await traced(page, browser, toZone)))
    else zoneTimes.push(await toZone())
  }
  const ofZone = await scrolled(page, browser)
  await painted(page, 'a[href="/console"]', '.zones tbody a')
  const ofZones = await scrolled(page, browser)
  return [
    ['click to painted, list of zones', timesLine(zonesTimes)],
    ['processor time of the page for that', timesLine(zonesTasks)],
    ['click to painted, large zone', timesLine(zoneTimes)],
    ['processor time of the page for that', timesLine(zoneTasks)],
    ['scrolling the list of zones', ofZones],
    ['scrolling the large zone', ofZone],
  ]
}

/** Milliseconds from a click in the page until the frame with its result was painted. */
function painted(page: Page, target: string, shown: string): Promise<number> {
  return page.evaluate(`new Promise(resolve => {
    const begin = performance.now()
    document.querySelector(${JSON.stringify(target)}).click()
    const look = () => {
      if (document.querySelector(${JSON.stringify(shown)}) === null) return requestAnimationFrame(look)
      const channel = new MessageChannel()
      channel.port1.onmessage = () => resolve(performance.now() - begin)
      channel.port2.postMessage(undefined)
    }
    requestAnimationFrame(look)
  })`)
}

/** Scrolls the table frame by frame; how long frames took, and the longest task. */
async function scrolled(page: Page, browser: Browser): Promise<string> {
  let frames: readonly number[] = []
  const tasks = await traced(page, browser, async () => {
    frames = await scrollFrames(page)
  })
  const late = tasks.filter(time => time > 50).length
  const frame = `frames ${milliseconds(median(frames))} (median), ${milliseconds(Math.max(...frames))} (longest)`
  return `${frame}; longest of ${tasks.length} tasks ${milliseconds(Math.max(...tasks))}, ${late} above 50 ms`
}

/** Milliseconds that each frame of scrolling took, by the clock. */
function scrollFrames(page: Page): Promise<readonly number[]> {
  return page.evaluate<readonly number[]>(`new Promise(resolve => {
    const frames = []
    const table = document.querySelector('.rows')
    let last = performance.now()
    const step = now => {
      frames.push(now - last)
      last = now
      table.scrollBy(0, 300)
      if (frames.length < ${scrolledFrames}) requestAnimationFrame(step)
      else resolve(frames.slice(1))
    }
    requestAnimationFrame(step)
  })`)
}

/** Milliseconds of processor time of each task of the page's thread while something is done. */
async function traced(
  page: Page,
  browser: Browser,
  run: () => Promise<unknown>,
): Promise<readonly number[]> {
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] })
  await run()
  return taskTimes(JSON.parse(String(await browser.stopTracing())).traceEvents)
}

function sum(times: readonly number[]): number {
  return times.reduce((all, time) => all + time, 0)
}

type TraceEvent = {
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Microseconds of processor time. */
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/** Milliseconds of processor time of each task of pages' threads. */
function taskTimes(events: readonly TraceEvent[]): readonly number[] {
  const threads = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  return events
    .filter(({ name, pid, tid }) => name.endsWith('RunTask') && threads.has(`${pid} ${tid}`))
    .map(({ tdur = 0 }) => tdur / 1000)
}

async function measureLive(server: Appliance, browser: Browser, seconds: number): Promise<string> {
  const page = await (await browser.newContext()).newPage()
  await page.goto(`${server.apiUrl}/console/`)
  await page.getByLabel('User', { exact: true }).fill('admin')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('.zones tbody a').first().waitFor()
  await page.clock.install()
  await page.getByRole('link', { name: 'Live' }).click()
  await page.locator('.chart canvas').waitFor()
  await pass(page, fullSeconds)
  const full = await heapOf(page)
  await pass(page, seconds - fullSeconds)
  const later = await heapOf(page)
  return `heap of live charts after ten minutes ${kilobytes(full)}, after ${seconds / 60} ${kilobytes(later)}`
}

/** Lets the page's clock run, with an answer of the server for each reading. */
async function pass(page: Page, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += lookSeconds) {
    const answered = page.waitForResponse(response => response.url().endsWith('/metrics'))
    await page.clock.runFor(lookSeconds * 1000)
    await (await answered).finished()
  }
}

async function heapOf(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('HeapProfiler.collectGarbage')
  const { usedSize } = await devtools.send('Runtime.getHeapUsage')
  await devtools.detach()
  return usedSize
}

function sizeOf(bodies: readonly Buffer[]): string {
  const octets = bodies.reduce((sum, { length }) => sum + length, 0)
  const compressed = bodies.reduce((sum, body) => sum + gzipSync(body).length, 0)
  return `${kilobytes(octets)}, ${kilobytes(compressed)} compressed`
}

function timesLine(times: readonly number[]): string {
  return `${milliseconds(median(times))} (median), ${milliseconds(quantile(times, 0.9))} (nine of ten)`
}

function kilobytes(octets: number): string {
  return `${(octets / 1000).toFixed(0)} kB`
}

function milliseconds(time: number): string {
  return `${time.toFixed(0)} ms`
}

await main()
