import { setTimeout as delay } from 'node:timers/promises'

type RetryOptions = {
  readonly signal: AbortSignal
  /** Called with each failure. */
  readonly onFailed: (error: unknown) => void
  /** Waits, or rejects when `signal` says so. */
  readonly pause?: ((ms: number, signal: AbortSignal) => Promise<unknown>) | undefined
}

const retryMs = 60_000

/** Waits, or rejects when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return delay(ms, undefined, { signal, ref: false })
}

/** Repeats work, such as one that reads the log from the disk, until it succeeds or is stopped. Never rejects. */
export async function retried(
  work: () => Promise<void>,
  { signal, onFailed, pause: wait = pause }: RetryOptions,
): Promise<void> {
  while (!signal.aborted) {
    try {
      return await work()
    } catch (error) {
      onFailed(error)
    }
    await wait(retryMs, signal).catch(() => undefined)
  }
}
