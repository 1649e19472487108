import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { host, type RunningServer } from '../servers/running.ts'

export type LoadOptions = {
  readonly queryFile: string
  /** `dot` is DNS over TLS. */
  readonly transport: 'udp' | 'tcp' | 'dot'
  readonly seconds: number
  readonly core: number
  readonly clients: number
  /** Queries that may be unanswered at a time, over all clients. */
  readonly outstanding: number
  /** Whether they ask for signatures. */
  readonly isDnssecOk?: boolean
  /** At most so many queries a second; as fast as it goes if left out. */
  readonly perSecond?: number
}

export type LoadResult = {
  readonly sentCount: number
  readonly answeredCount: number
  readonly answersPerSecond: number
  readonly averageLatencyMs: number
  /** Of the server, per answer. */
  readonly cpuMicros: number
  /** How much of one core the server used. */
  readonly cpuShare: number
}

/** dnsperf counts answers that its receive buffer has no room for as lost. */
const receiveKilobytes = 4096

const run = promisify(execFile)

/** Loads a server with dnsperf and measures both ends. */
export async function loadServer(server: RunningServer, options: LoadOptions): Promise<LoadResult> {
  const port = options.transport === 'dot' ? server.tlsPort : server.port
  if (port === undefined) throw new Error(`${server.name} does not answer over TLS`)
  const words = ['dnsperf', '-s', host, '-p', port, '-d', options.queryFile, '-e']
  words.push('-m', options.transport, '-l', options.seconds, '-c', options.clients)
  words.push('-q', options.outstanding, '-T', 1, '-b', receiveKilobytes)
  words.push('-O', 'suppress=timeouts,congestion,sockready')
  if (options.isDnssecOk === true) words.push('-D')
  if (options.perSecond !== undefined) words.push('-Q', options.perSecond)
  const cpuBefore = server.cpuSeconds()
  const { stdout } = await run('taskset', ['--cpu-list', `${options.core}`, ...words.map(String)])
  const cpuSeconds = server.cpuSeconds() - cpuBefore
  const answeredCount = figure(stdout, 'Queries completed')
  return {
    sentCount: figure(stdout, 'Queries sent'),
    answeredCount,
    answersPerSecond: figure(stdout, 'Queries per second'),
    averageLatencyMs: figure(stdout, 'Average Latency \\(s\\)') * 1000,
    cpuMicros: (cpuSeconds / answeredCount) * 1e6,
    cpuShare: cpuSeconds / figure(stdout, 'Run time \\(s\\)'),
  }
}

function figure(output: string, name: string): number {
  const found = new RegExp(`${name}:\\s*([\\d.]+)`).exec(output)?.[1]
  if (found === undefined) throw new Error(`dnsperf does not say "${name}":\n${output}`)
  return Number(found)
}
