import { parentPort } from 'node:worker_threads'
import type { Responder } from '../../nameserver/responder.ts'
import type { Report } from '../answer.ts'
import { collectGarbage, freeCompiledCode } from './freed-memory.ts'
import type { ResponderSource, ThreadMessage } from './thread-data.ts'

// Shared code that runs inside threads.

/** Bounds reports, since a broken responder may fail at every query. */
const reportIntervalMs = 1000

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
  // Answers make so little garbage that V8 would keep what loading modules has left, 3 to 5 MB in each thread.
  collectGarbage()
  return openResponder(handle, report)
}

/** Converts a thrown value, which may contain values that cannot be sent to another thread. */
function cloneable(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  return Object.assign(new Error(error.message), { stack: error.stack })
}
