import { readFileSync } from 'node:fs'
import type { Appliance } from '../../../test/helpers/appliance.ts'

/** What a client waited who asked for the server's health all the while. */
export type Waits = {
  /** Of twenty waits nineteen were shorter. */
  readonly mostMs: number
  readonly longestMs: number
}

/** Asks for the server's health, again and again, until it is stopped. */
export function watchHealth(server: Appliance): { stop(): Promise<Waits> } {
  let isOver = false
  const waits: number[] = []
  const watch = async () => {
    while (!isOver) {
      const startedAt = performance.now()
      await (await fetch(`${server.apiUrl}/healthz`)).text()
      waits.push(performance.now() - startedAt)
    }
  }
  const watching = watch()
  return {
    async stop() {
      isOver = true
      await watching
      waits.sort((a, b) => a - b)
      const at = (share: number): number => waits[Math.floor(share * (waits.length - 1))] ?? 0
      return { mostMs: at(0.95), longestMs: at(1) }
    },
  }
}

/** What the server's main thread has computed so far. */
export function cpuMillis({ pid }: Appliance): number {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  return Number(nanoseconds) / 1e6
}
