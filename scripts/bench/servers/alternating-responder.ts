import {
  openResponder as openTableResponder,
  type Responder,
} from '../../../src/nameserver/responder.ts'
import { ResponseCounter } from '../../../src/nameserver/response-counter.ts'
import type { ZoneTableHandle } from '../../../src/zone/table/handle.ts'

// The responder of the zone table, in a thread that meters for a while and then does not, in turns: both see the same
// queries, the same caches and the same neighbors. The cost of each is in shared memory.

/** Offsets of the measurements while responses are counted; `unmetered` is added while they are not. */
export const measures = { cpuMicros: 0, responses: 1 } as const
export const unmetered = 2
export const measureCount = 4

/** Batches of one turn: some tenths of a second under load. */
const batchesPerTurn = 1000

let isMetering = true

for (const name of ['countResponse', 'countUnanswered', 'settle'] as const) {
  const count = ResponseCounter.prototype[name] as (...args: readonly unknown[]) => void
  Object.defineProperty(ResponseCounter.prototype, name, {
    value(this: ResponseCounter, a: unknown, b: unknown, c: unknown) {
      if (isMetering) count.call(this, a, b, c)
    },
  })
}

export function openResponder(
  handle: ZoneTableHandle & { readonly measured: SharedArrayBuffer },
): Responder {
  const responder = openTableResponder(handle)
  const measured = new Float64Array(handle.measured)
  let batchCount = 0
  let responseCount = 0
  let cpuMicros = 0
  const endTurn = (): void => {
    const { user, system } = process.threadCpuUsage()
    const from = isMetering ? 0 : unmetered
    measured[from] = (measured[from] ?? 0) + user + system - cpuMicros
    measured[from + 1] = (measured[from + 1] ?? 0) + responseCount
    cpuMicros = user + system
    responseCount = 0
    isMetering = !isMetering
  }
  return {
    enter() {
      if (batchCount % batchesPerTurn === 0) endTurn()
      batchCount += 1
      responder.enter()
    },
    leave: () => responder.leave(),
    take: (i, request, octetCount, transport) => responder.take(i, request, octetCount, transport),
    prefetch: count => responder.prefetch(count),
    sent: () => responder.sent(),
    respond(i, response) {
      responseCount += 1
      return responder.respond(i, response)
    },
  }
}
