import { setFlagsFromString } from 'node:v8'
import { parentPort } from 'node:worker_threads'
import type { Responder } from '../../nameserver/responder.ts'
import type { Report } from '../answer.ts'
import { freeCompiledCode } from './freed-memory.ts'
import type { ResponderSource, ThreadMessage } from './thread-data.ts'

// What threads have in common, seen from inside.

/** A broken responder is broken at every query. */
const reportIntervalMs = 1000

/** V8's optimizing compiler inlines 920 octets of bytecode into a function and no more, and an answer takes three times as
 *  much. With 3,500 it costs a tenth less, with 10,000 a third more (`scripts/bench/RESULTS.md`). */
export const inliningFlag = '--max-inlined-bytecode-size-cumulative=3500'

type ResponderModule = {
  openResponder(handle: unknown, reportDefect: (defect: unknown) => void): Responder
}

/** Tells the main thread. */
export function say(message: ThreadMessage): void {
  parentPort?.postMessage(message)
}

/** Tells the main thread of a defect, at most once a second. */
export function createReport(): Report {
  let nextAtMs = 0
  return error => {
    if (performance.now() < nextAtMs) return
    nextAtMs = performance.now() + reportIntervalMs
    say({ kind: 'defect', error: cloneable(error) })
  }
}

export async function openResponder(
  { module, handle }: ResponderSource,
  report: Report,
): Promise<Responder> {
  const { openResponder } = (await import(module)) as ResponderModule
  freeCompiledCode()
  // It holds for the process. After the import: code that was cached without it is not taken with it.
  setFlagsFromString(inliningFlag)
  return openResponder(handle, report)
}

/** What was thrown may hold anything, also what cannot leave the thread. */
function cloneable(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  return Object.assign(new Error(error.message), { stack: error.stack })
}
