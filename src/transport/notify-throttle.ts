import { formatName, type Name } from '../dns/name.ts'
import { FairShare } from '../fair-share.ts'

/** An address has sent a NOTIFY (RFC 1996) for a zone that is held here, or will be transferred in. The address may be
 *  forged. */
export type NotifyEvent = {
  /** In lower case, as text. */
  readonly zone: string
  /** An IP literal, for IPv6 possibly with a zone id. */
  readonly address: string
  /** The id of the TSIG key that signed it. */
  readonly keyId?: string | undefined
}

export type NotifyThrottleOptions = {
  readonly tell: (event: NotifyEvent) => void
  /** Schedules `settle` after `delayMs`. Without it, the caller calls `settle` often. */
  readonly later?: (settle: () => void, delayMs: number) => void
  readonly nowMs?: () => number
}

const windowMs = 1000
/** More than the masters of thousands of zones send, and little work for the main thread. */
const eventsPerSecond = 500

type Entry = { readonly event: NotifyEvent; hasComeAgain: boolean }

/** Passes on the NOTIFY events of one thread: one per second for a zone and address, and a bounded number per second,
 *  which zones share. A repeated event within the second is passed on at its end, since the zone may be newer than the version
 *  fetched for the first. An event above the bound is not taken; its sender gets no answer and sends it again. */
export class NotifyThrottle {
  readonly #tell: (event: NotifyEvent) => void
  readonly #later: NotifyThrottleOptions['later']
  readonly #nowMs: () => number
  /** The events that were passed on in this window. */
  readonly #entries = new Map<string, Entry>()
  readonly #share: FairShare
  #windowEndsAtMs = 0
  #isAnyWaiting = false

  constructor({ tell, later, nowMs = () => performance.now() }: NotifyThrottleOptions) {
    this.#tell = tell
    this.#later = later
    this.#nowMs = nowMs
    this.#share = new FairShare(eventsPerSecond, nowMs)
  }

  /** Passes an event on, now or within a second, and returns true; false if there are too many. */
  take(apex: Name, address: string, keyId?: string): boolean {
    const nowMs = this.#nowMs()
    if (nowMs >= this.#windowEndsAtMs) this.#beginWindow(nowMs)
    const key = `${address} ${keyId ?? ''} ${apex}`
    const entry = this.#entries.get(key)
    if (entry !== undefined) {
      entry.hasComeAgain = true
      this.#wait(nowMs)
      return true
    }
    const event = { zone: formatName(apex), address }
    if (!this.#share.take(event.zone)) return false
    this.#pass(key, keyId === undefined ? event : { ...event, keyId })
    return true
  }

  /** Passes on waiting events if their second has ended. Costs nothing if none is waiting. */
  settle(): void {
    if (!this.#isAnyWaiting) return
    const nowMs = this.#nowMs()
    if (nowMs >= this.#windowEndsAtMs) this.#beginWindow(nowMs)
  }

  #beginWindow(nowMs: number): void {
    const waiting = [...this.#entries].filter(([, { hasComeAgain }]) => hasComeAgain)
    this.#entries.clear()
    this.#windowEndsAtMs = nowMs + windowMs
    this.#isAnyWaiting = false
    for (const [key, { event }] of waiting) {
      // Not refused, as their senders have had an answer.
      this.#share.take(event.zone)
      this.#pass(key, event)
    }
  }

  #pass(key: string, event: NotifyEvent): void {
    this.#entries.set(key, { event, hasComeAgain: false })
    this.#tell(event)
  }

  #wait(nowMs: number): void {
    if (this.#isAnyWaiting) return
    this.#isAnyWaiting = true
    // A timer may be early by a fraction of a millisecond.
    this.#later?.(() => this.settle(), Math.ceil(this.#windowEndsAtMs - nowMs) + 1)
  }
}

/** Schedules a task on the event loop without keeping the loop alive. */
export function onEventLoop(task: () => void, delayMs: number): void {
  setTimeout(task, delayMs).unref()
}
