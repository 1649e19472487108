import type { Commit, Store } from '../../store/store.ts'
import {
  compareEventCursors,
  cursorText,
  type EventCursor,
  endOfCommit,
  isEndOfCommit,
  parseCursor,
} from './event-cursor.ts'
import { eventCountOf, eventsOf, type ResourceEvent } from './resource-event.ts'

// Events for followers. Each follower has a cursor among all events and reads the events after it: the newest from
// memory, older ones made again from the log, as far back as the store keeps it. So no follower gets an event twice or
// waits for another, and a slow follower costs no more than a quick one. Without a follower no event is made.

type EventLogOptions = {
  readonly store: Pick<Store, 'history' | 'lastLsn'>
  /** Resolves when this node has all commits of all nodes; to an object where that is not known. */
  readonly caughtUp?: (() => Promise<object | undefined>) | undefined
  /** Events that are kept in memory at least, once there are so many while anyone follows. */
  readonly keptCount?: number
}

/** An item for a follower. `id` is where it may resume: all events up to there that it may see have been sent. */
export type Followed =
  | { readonly kind: 'event'; readonly id: string; readonly event: ResourceEvent }
  /** Events are missing here: the follower must request what they would have reported. */
  | { readonly kind: 'gap'; readonly id: string }
  /** No more events so far. Sent at the beginning and then at intervals: it keeps proxies from closing the
   *  connection, and lets a follower with few events resume from a recent place. */
  | { readonly kind: 'mark'; readonly id: string }

type FollowOptions = {
  /** Whether the follower may see an event. */
  readonly isVisible: (event: ResourceEvent) => boolean
  /** The last id that it received; undefined: from now on. */
  readonly afterId: string | undefined
  readonly signal: AbortSignal
}

/** Events that are read from memory in one go. */
const maxBatch = 256
const markMs = 15_000
/** The events of a commit with more than these are read from the store's history. */
const maxKeptOfCommit = 250

/** The next item for a follower, whether or not it may see it. */
type Step =
  | { readonly kind: 'event'; readonly cursor: EventCursor; readonly event: ResourceEvent }
  | { readonly kind: 'gap' | 'mark'; readonly cursor: EventCursor }

/** Delivers events to followers. */
export class EventLog {
  readonly #store: EventLogOptions['store']
  readonly #caughtUp: NonNullable<EventLogOptions['caughtUp']>
  readonly #keptCount: number
  readonly #kept: ResourceEvent[] = []
  /** Every event after this cursor is in memory; set by the first commit. */
  #keptBehind: EventCursor | undefined
  /** Counts the commits that do not say what they have changed, such as the one between a copy of the shared log and
   *  another copy: after each, all followers have a gap. */
  #breakCount = 0
  #isClosed = false
  #followerCount = 0
  /** The followers that wait for the next events. */
  readonly #waiting = new Set<() => void>()

  constructor({ store, caughtUp, keptCount = 1_000 }: EventLogOptions) {
    this.#store = store
    this.#caughtUp = caughtUp ?? (async () => undefined)
    this.#keptCount = keptCount
  }

  /** Adds the events of a published commit. */
  publish(commit: Commit): void {
    this.#keptBehind ??= endOfCommit(commit.lsn - 1)
    const isKept = this.#followerCount > 0 && eventCountOf(commit) <= maxKeptOfCommit
    const events = isKept ? eventsOf(commit) : 'not kept'
    if (events === undefined) this.#breakCount += 1
    if (events === undefined || events === 'not kept') {
      this.#kept.length = 0
      this.#keptBehind = endOfCommit(commit.lsn)
      // A copy has the payload, and so does not keep the rows of its commit in memory.
    } else for (const event of events) this.#kept.push(copyOf(event))
    if (this.#kept.length > 2 * this.#keptCount) {
      const dropped = this.#kept.splice(0, this.#kept.length - this.#keptCount).at(-1)
      this.#keptBehind = dropped?.cursor ?? this.#keptBehind
    }
    this.#wakeAll()
  }

  /** Yields events until the signal aborts. */
  async *follow(options: FollowOptions): AsyncGenerator<Followed> {
    this.#followerCount += 1
    try {
      yield* this.#followed(options)
    } finally {
      this.#followerCount -= 1
    }
  }

  async *#followed({ isVisible, afterId, signal }: FollowOptions): AsyncGenerator<Followed> {
    if (afterId !== undefined) yield* this.#reach(afterId, signal)
    let cursor = this.#startOf(afterId)
    if (cursor === undefined) {
      cursor = endOfCommit(this.#store.lastLsn)
      yield { kind: 'gap', id: cursorText(cursor) }
    }
    yield { kind: 'mark', id: cursorText(cursor) }
    let breakCount = this.#breakCount
    while (!this.#isOver(signal)) {
      const kept = this.#keptSteps(cursor, breakCount)
      breakCount = this.#breakCount
      if (kept?.length === 0) {
        // Skips commits without events as well. No turn of the event loop may pass between the reading of the kept
        // events and this.
        cursor = endOfCommit(this.#store.lastLsn)
        if (!(await this.#isPublishing(signal))) yield { kind: 'mark', id: cursorText(cursor) }
        continue
      }
      for await (const step of kept ?? this.#pastSteps(cursor)) {
        if (this.#isOver(signal)) return
        cursor = step.cursor
        const id = cursorText(cursor)
        if (step.kind !== 'event') yield { kind: step.kind, id }
        else if (isVisible(step.event)) yield { kind: 'event', id, event: step.event }
      }
    }
  }

  /** Ends every follower's stream. */
  close(): void {
    this.#isClosed = true
    this.#wakeAll()
  }

  /** Waits until this node has the last event that a follower received, perhaps from another node, if any node has
   *  it. */
  async *#reach(afterId: string, signal: AbortSignal): AsyncGenerator<Followed> {
    const lsn = parseCursor(afterId)?.lsn ?? 0
    while (lsn > this.#store.lastLsn && !this.#isOver(signal)) {
      if ((await this.#caughtUp()) === undefined) return
      // The commit may have arrived meanwhile.
      if (lsn <= this.#store.lastLsn) return
      if (!(await this.#isPublishing(signal))) yield { kind: 'mark', id: afterId }
    }
  }

  /** The cursor at which a follower begins; undefined where its id does not say. */
  #startOf(afterId: string | undefined): EventCursor | undefined {
    const { lastLsn } = this.#store
    if (afterId === undefined) return endOfCommit(lastLsn)
    const cursor = parseCursor(afterId)
    // An id in the future was sent by another store, or by this one before a backup replaced it.
    return cursor === undefined || cursor.lsn > lastLsn ? undefined : cursor
  }

  #isOver(signal: AbortSignal): boolean {
    return this.#isClosed || signal.aborted
  }

  /** The next events after a cursor, none where it is at the end; undefined where they are not in memory.
   *  @param breakCount the value of `#breakCount` when the follower was there */
  #keptSteps(cursor: EventCursor, breakCount: number): readonly Step[] | undefined {
    if (breakCount !== this.#breakCount)
      return [{ kind: 'gap', cursor: endOfCommit(this.#store.lastLsn) }]
    const keptBehind = this.#keptBehind ?? endOfCommit(this.#store.lastLsn)
    if (compareEventCursors(cursor, keptBehind) < 0) return undefined
    const from = this.#indexBehind(cursor)
    const events = this.#kept.slice(from, from + maxBatch)
    return events.map(event => ({ kind: 'event', cursor: event.cursor, event }))
  }

  /** Reads the log, at least as far as it goes now. A jump in its numbers is a gap, as is a commit without the
   *  facts that events are made from. */
  async *#pastSteps(cursor: EventCursor): AsyncGenerator<Step> {
    const { lastLsn } = this.#store
    // Reads the commit of the last event again where it may have more events.
    let lsn = isEndOfCommit(cursor) ? cursor.lsn : cursor.lsn - 1
    let isMissing = false
    for await (const commit of this.#store.history(lsn)) {
      isMissing ||= commit.lsn > lsn + 1
      lsn = commit.lsn
      const events = eventsOf(commit)
      if (events === undefined) {
        isMissing = true
        continue
      }
      if (isMissing) yield { kind: 'gap', cursor: endOfCommit(lsn - 1) }
      isMissing = false
      for (const event of events) {
        if (compareEventCursors(event.cursor, cursor) > 0)
          yield { kind: 'event', cursor: event.cursor, event }
      }
    }
    isMissing ||= lsn < lastLsn
    yield { kind: isMissing ? 'gap' : 'mark', cursor: endOfCommit(Math.max(lsn, lastLsn)) }
  }

  /** By bisection: events are kept in order. */
  #indexBehind(cursor: EventCursor): number {
    let low = 0
    let high = this.#kept.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const event = this.#kept[middle]
      if (event !== undefined && compareEventCursors(event.cursor, cursor) <= 0) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Waits for the next commit or the end; resolves to false after a timeout. */
  async #isPublishing(signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const wake = () => resolve(true)
    const timer = setTimeout(() => resolve(false), markMs)
    this.#waiting.add(wake)
    signal.addEventListener('abort', wake, { once: true })
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(wake)
      signal.removeEventListener('abort', wake)
    }
  }

  #wakeAll(): void {
    for (const wake of this.#waiting) wake()
  }
}

/** A spread would copy the getter of the payload in V8's slow way. */
function copyOf({
  cursor,
  id,
  type,
  at,
  projectIds,
  payload,
  actor,
}: ResourceEvent): ResourceEvent {
  return { cursor, id, type, at, projectIds, payload, actor }
}
