import { setTimeout as delay } from 'node:timers/promises'

type RetryOptions = {
  readonly signal: AbortSignal
  /** Called with each failure. */
  readonly onFailed: (error: unknown) => void
  /** Waits, or rejects when `signal` says so. */
  readonly pause?: ((ms: number, signal: AbortSignal) => Promise<unknown>) | undefined
}

const retryMs = 60_000

/** Repeats work, such as one that reads the log from the disk, until it succeeds or is stopped. Never rejects. */
export async function retried(
  work: () => Promise<void>,
  {
    signal,
    onFailed,
    pause = (ms, signal) => delay(ms, undefined, { signal, ref: false }),
  }: RetryOptions,
): Promise<void> {
  while (!signal.aborted) {
    try {
      return await work()
    } catch (error) {
      onFailed(error)
    }
    await pause(retryMs, signal).catch(() => undefined)
  }
}
