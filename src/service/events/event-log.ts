import type { Zone } from '../../model/zone.ts'
import type { Commit } from '../../store/store.ts'
import { compareEventIds, eventsOf, lsnOfEvent, type ResourceEvent } from './resource-event.ts'

// Events for whoever follows them. The newest are kept in memory; older ones are made again from the journal,
// as far back as the store keeps it. A follower that is too slow is let go: it comes back with the id of the
// last event it has, and nobody has waited for it.

/** Reads commits after an LSN again, oldest first; undefined where the journal does not reach back so far. */
export type History = (afterLsn: number) => Promise<readonly Commit[] | undefined>

export type EventLogOptions = {
  readonly storedZone: (zoneId: string) => Zone | undefined
  readonly history: History
}

/** What a follower is given. */
export type Followed =
  | { readonly kind: 'event'; readonly event: ResourceEvent }
  /** Events are missing here: what they would have told must be asked for. */
  | { readonly kind: 'gap' }
  /** Nothing for a while; keeps proxies from closing the connection. */
  | { readonly kind: 'idle' }

export type FollowOptions = {
  /** Whether the follower may know of an event. */
  readonly isVisible: (event: ResourceEvent) => boolean
  /** The last event it has; undefined: from now on. */
  readonly afterId: string | undefined
  readonly signal: AbortSignal
}

/** In memory: what a short interruption misses. */
const maxKept = 10_000
/** For one follower: beyond this it is too slow. */
const maxWaiting = 2_000
const idleMs = 15_000

/** Hands events to followers. */
export class EventLog {
  readonly #options: EventLogOptions
  readonly #kept: ResourceEvent[] = []
  readonly #followers = new Set<Follower>()
  /** Every event after this commit is in memory. */
  #keptAfterLsn: number | undefined

  constructor(options: EventLogOptions) {
    this.#options = options
  }

  /** Takes a commit that is published. */
  publish(commit: Commit): void {
    this.#keptAfterLsn ??= commit.lsn - 1
    for (const event of eventsOf(commit, this.#options.storedZone)) {
      this.#kept.push(event)
      for (const follower of this.#followers) follower.offer(event)
    }
    if (this.#kept.length > 2 * maxKept) {
      const dropped = this.#kept.splice(0, this.#kept.length - maxKept).at(-1)
      this.#keptAfterLsn = (dropped && lsnOfEvent(dropped.id)) ?? this.#keptAfterLsn
    }
  }

  /** Follows until the signal, or until the follower is too slow. */
  async *follow({ isVisible, afterId, signal }: FollowOptions): AsyncGenerator<Followed> {
    const follower = new Follower()
    // Before the past is read, so that nothing falls between.
    this.#followers.add(follower)
    const onAbort = () => follower.end()
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      let lastId = afterId
      for (const followed of await this.#past(afterId)) {
        if (followed.kind === 'event') lastId = followed.event.id
        if (isShown(followed, isVisible)) yield followed
      }
      while (!signal.aborted && !follower.isOver) {
        const event = await follower.next()
        if (event === undefined) yield { kind: 'idle' }
        else if (!isNewer(event, lastId)) continue
        else if (isVisible(event)) yield { kind: 'event', event }
      }
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.#followers.delete(follower)
      follower.end()
    }
  }

  /** Ends every follower's stream. */
  close(): void {
    for (const follower of this.#followers) follower.end()
  }

  async #past(afterId: string | undefined): Promise<readonly Followed[]> {
    const afterLsn = afterId === undefined ? undefined : lsnOfEvent(afterId)
    if (afterId === undefined) return []
    if (afterLsn === undefined) return [{ kind: 'gap' }]
    const kept = this.#kept.filter(event => isNewer(event, afterId))
    if (this.#keptAfterLsn !== undefined && afterLsn > this.#keptAfterLsn) return kept.map(told)
    // The commit of the last event is read again too: it may have had more than one.
    const commits = await this.#options.history(afterLsn - 1)
    if (commits === undefined) return [{ kind: 'gap' }, ...kept.map(told)]
    return commits
      .flatMap(commit => eventsOf(commit, this.#options.storedZone))
      .filter(event => isNewer(event, afterId))
      .map(told)
  }
}

function told(event: ResourceEvent): Followed {
  return { kind: 'event', event }
}

function isShown(followed: Followed, isVisible: FollowOptions['isVisible']): boolean {
  return followed.kind !== 'event' || isVisible(followed.event)
}

function isNewer(event: ResourceEvent, id: string | undefined): boolean {
  return id === undefined || (compareEventIds(event.id, id) ?? 1) > 0
}

/** The events that wait for one reader. */
class Follower {
  readonly #waiting: ResourceEvent[] = []
  #wake: () => void = () => undefined
  #isEnded = false

  get isOver(): boolean {
    return this.#isEnded && this.#waiting.length === 0
  }

  offer(event: ResourceEvent): void {
    if (this.#isEnded) return
    this.#waiting.push(event)
    if (this.#waiting.length > maxWaiting) {
      this.#waiting.length = 0
      this.#isEnded = true
    }
    this.#wake()
  }

  end(): void {
    this.#isEnded = true
    this.#wake()
  }

  /** The next event, or undefined after a while without one and at the end. */
  async next(): Promise<ResourceEvent | undefined> {
    if (this.#waiting.length === 0 && !this.#isEnded) {
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, idleMs)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    return this.#waiting.shift()
  }
}
