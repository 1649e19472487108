import { setFlagsFromString } from 'node:v8'
import { parentPort } from 'node:worker_threads'
import type { Responder } from '../../nameserver/responder.ts'
import type { Report } from '../answer.ts'
import { freeCompiledCode } from './freed-memory.ts'
import type { ResponderSource, ThreadMessage } from './thread-data.ts'

// Shared code that runs inside threads.

/** Bounds reports, since a broken responder may fail at every query. */
const reportIntervalMs = 1000

/** V8's optimizing compiler inlines at most 920 octets of bytecode into a function, and an answer takes three times as
 *  much. With 3,500 an answer costs a tenth less, with 10,000 a third more (`scripts/bench/RESULTS.md`). */
export const inliningFlag = '--max-inlined-bytecode-size-cumulative=3500'

type ResponderModule = {
  openResponder(handle: unknown, reportDefect: (defect: unknown) => void): Responder
}

/** Sends a message to the main thread. */
export function say(message: ThreadMessage): void {
  parentPort?.postMessage(message)
}

/** Returns a function that reports defects to the main thread, at most once per second. */
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
  // The flag applies to the process. Set after the import, since code cached without the flag is not used with it.
  setFlagsFromString(inliningFlag)
  return openResponder(handle, report)
}

/** Converts a thrown value, which may contain values that cannot be sent to another thread. */
function cloneable(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  return Object.assign(new Error(error.message), { stack: error.stack })
}
