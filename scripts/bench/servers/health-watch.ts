import { readFileSync } from 'node:fs'
import type { Appliance } from '../../../test/helpers/appliance.ts'

/** The waits of a client that continuously requested the server's health. */
export type Waits = {
  /** The wait that nineteen of twenty were below. */
  readonly mostMs: number
  /** The most that the server's main thread computed while the client waited: the part caused by the server, and not
   *  by other programs. */
  readonly longestCpuMs: number
}

/** Requests the server's health repeatedly until it is stopped. */
export function watchHealth(server: Appliance): { stop(): Promise<Waits> } {
  let isOver = false
  const waits: number[] = []
  let longestCpuMs = 0
  const watch = async () => {
    while (!isOver) {
      const startedAt = performance.now()
      const cpuBefore = cpuMillis(server)
      await (await fetch(`${server.apiUrl}/healthz`)).text()
      waits.push(performance.now() - startedAt)
      longestCpuMs = Math.max(longestCpuMs, cpuMillis(server) - cpuBefore)
    }
  }
  const watching = watch()
  return {
    async stop() {
      isOver = true
      await watching
      waits.sort((a, b) => a - b)
      return { mostMs: waits[Math.floor(0.95 * (waits.length - 1))] ?? 0, longestCpuMs }
    },
  }
}

/** The processor time of the server's main thread so far. */
export function cpuMillis({ pid }: { readonly pid: number | undefined }): number {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  return Number(nanoseconds) / 1e6
}
