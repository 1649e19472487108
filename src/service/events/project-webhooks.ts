import { ApiError } from '../../errors.ts'
import type { ProjectWebhook } from '../../model/project-webhook.ts'
import type { Commit } from '../../store/store.ts'
import { compareEventCursors, type EventCursor, parseCursor } from './event-cursor.ts'
import type { EventLog } from './event-log.ts'
import { eventsOf, type ResourceEvent } from './resource-event.ts'
import { retried } from './retried.ts'
import { type Attempt, deliveryOf, type Post, Webhook } from './webhook.ts'
import {
  isOfProjects,
  projectsCursorId,
  WebhookCursors,
  type WebhookCursorsOptions,
} from './webhook-cursors.ts'

type ProjectWebhooksOptions = WebhookCursorsOptions & {
  readonly post: Post
  readonly log: Pick<EventLog, 'follow'>
  /** An event as a project sees it. */
  readonly bodyOf: (event: ResourceEvent, projectId: string) => object
  /** Waits before another attempt after such a failure. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

/** Deliveries of a webhook that are remembered. */
const rememberedDeliveries = 50

type Receiver = {
  row: ProjectWebhook
  webhook: Webhook
  /** Newest last. */
  readonly attempts: Attempt[]
  /** The last event that is for it. */
  latest: EventCursor | undefined
  /** While it has events to send. */
  running: Promise<void> | undefined
  readonly stop: AbortController
}

/** The webhooks of projects. One follower hands events to all of them, so that a webhook without events costs
 *  nothing; a webhook with events follows the log separately until it has sent all. Nothing waits for a receiver,
 *  and after a restart each webhook continues where it was. */
export class ProjectWebhooks {
  readonly #options: ProjectWebhooksOptions
  readonly #cursors: WebhookCursors
  readonly #receivers = new Map<string, Receiver>()
  readonly #byProject = new Map<string, Set<Receiver>>()
  readonly #stop = new AbortController()
  #isStarted = false
  #dispatching: Promise<void> | undefined

  constructor(options: ProjectWebhooksOptions) {
    this.#options = options
    this.#cursors = new WebhookCursors(options)
  }

  /** Begins to send. */
  async start(): Promise<void> {
    const { store } = this.#options
    const ids = Array.from(store.rows('webhooks'), ({ id }) => id)
    await this.#cursors.dropOthers(
      new Set([...ids, ...(ids.length > 0 ? [projectsCursorId] : [])]),
      isOfProjects,
    )
    if (this.#stop.signal.aborted) return
    this.#isStarted = true
    for (const row of store.rows('webhooks')) {
      const receiver = this.#add(row)
      const afterId = this.#cursors.cursorOf(row.id)
      if (afterId !== undefined) this.#wake(receiver, afterId)
    }
    if (this.#receivers.size > 0) this.#dispatch()
  }

  /** Applies a commit's changes of webhooks: a new webhook is sent events from now on, a changed one according to
   *  its new settings. Call it before the events of the commit are available. */
  commitPublished({ rowChanges }: Pick<Commit, 'rowChanges'>): void {
    if (!this.#isStarted) return
    for (const change of rowChanges) {
      if (change.collection !== 'webhooks') continue
      if (change.after === undefined) this.#remove(change.id)
      else this.#put(change.after)
    }
  }

  #put(row: ProjectWebhook): void {
    const known = this.#receivers.get(row.id)
    if (known === undefined) {
      this.#add(row)
      this.#dispatch()
      return
    }
    known.row = row
    known.webhook.close()
    known.webhook = this.#webhookOf(row, known.attempts)
  }

  /** Removes a webhook and cancels its deliveries. */
  #remove(id: string): void {
    const receiver = this.#receivers.get(id)
    if (receiver === undefined) return
    this.#receivers.delete(id)
    const ofProject = this.#byProject.get(receiver.row.projectId)
    ofProject?.delete(receiver)
    if (ofProject?.size === 0) this.#byProject.delete(receiver.row.projectId)
    receiver.stop.abort()
    receiver.webhook.close()
    this.#cursors.forget(id)
  }

  /** The attempts of this node since it has the duty, newest first. */
  attemptsOf(id: string): readonly Attempt[] {
    return this.#receivers.get(id)?.attempts.toReversed() ?? []
  }

  /** Sends an event again, at once and in a single attempt.
   *  @throws ApiError not_found there is no such event, or no longer, or it is not the project's */
  async sendAgain(row: ProjectWebhook, eventId: string): Promise<Attempt> {
    const event = await this.#eventOf(eventId)
    if (event === undefined || !event.projectIds.includes(row.projectId))
      throw new ApiError('not_found', `There is no event ${eventId} to be sent again`)
    const webhook = this.#receivers.get(row.id)?.webhook ?? this.#webhookOf(row, [])
    return webhook.deliverOnce(this.#deliveryOf(event, row.projectId))
  }

  /** Cancels the deliveries under way; they are sent after the next start. Idempotent. */
  async close(): Promise<void> {
    this.#stop.abort()
    for (const { webhook, stop } of this.#receivers.values()) {
      stop.abort()
      webhook.close()
    }
    await this.#dispatching
    await Promise.all(Array.from(this.#receivers.values(), ({ running }) => running))
    await this.#cursors.keep()
  }

  #add(row: ProjectWebhook): Receiver {
    const attempts: Attempt[] = []
    const webhook = this.#webhookOf(row, attempts)
    const stop = new AbortController()
    const receiver: Receiver = {
      ...{ row, webhook, attempts, stop },
      latest: undefined,
      running: undefined,
    }
    this.#receivers.set(row.id, receiver)
    const ofProject = this.#byProject.get(row.projectId) ?? new Set()
    this.#byProject.set(row.projectId, ofProject.add(receiver))
    return receiver
  }

  #webhookOf({ url, secret }: ProjectWebhook, attempts: Attempt[]): Webhook {
    const { post } = this.#options
    return new Webhook({
      ...{ url, secret, post },
      onAttempt: attempt => {
        const same = attempts.findIndex(({ id }) => id === attempt.id)
        if (same >= 0) attempts.splice(same, 1)
        attempts.push(attempt)
        if (attempts.length > rememberedDeliveries) attempts.shift()
      },
    })
  }

  /** Hands events to their webhooks. Never rejects. */
  #dispatch(): void {
    this.#dispatching ??= retried(() => this.#dispatchAll(), {
      ...this.#options,
      signal: this.#stop.signal,
    })
  }

  async #dispatchAll(): Promise<void> {
    const { log } = this.#options
    const isVisible = ({ projectIds }: ResourceEvent) =>
      projectIds.some(id => this.#byProject.has(id))
    let before = this.#cursors.cursorOf(projectsCursorId)
    const follow = { isVisible, afterId: before, signal: this.#stop.signal }
    for await (const followed of log.follow(follow)) {
      const { id } = followed
      if (followed.kind === 'event') {
        for (const receiver of this.#receiversOf(followed.event)) {
          receiver.latest = followed.event.cursor
          if (receiver.running === undefined && before !== undefined) this.#wake(receiver, before)
        }
        this.#cursors.note(projectsCursorId, id)
      } else this.#cursors.pass(projectsCursorId, id)
      before = id
    }
  }

  #receiversOf(event: ResourceEvent): readonly Receiver[] {
    const all = event.projectIds.flatMap(id => [...(this.#byProject.get(id) ?? [])])
    return all.filter(({ row }) => isFor(row, event))
  }

  #wake(receiver: Receiver, afterId: string): void {
    const { id } = receiver.row
    this.#cursors.note(id, afterId)
    const send = () => this.#send(receiver, this.#cursors.cursorOf(id) ?? afterId)
    receiver.running = retried(send, { ...this.#options, signal: receiver.stop.signal })
  }

  /** Sends all events after a cursor. Events that arrive during the last read are seen by `latest`. */
  async #send(receiver: Receiver, afterId: string): Promise<void> {
    for (let from: string | undefined = afterId; ; ) {
      from = await this.#sendBehind(receiver, from)
      if (from === undefined) return
      const cursor = parseCursor(from)
      const { latest, row } = receiver
      if (latest !== undefined && cursor && compareEventCursors(latest, cursor) > 0) continue
      receiver.running = undefined
      this.#cursors.forget(row.id)
      return
    }
  }

  /** Returns the id after which there are no more events; undefined where it was stopped before. */
  async #sendBehind(receiver: Receiver, afterId: string): Promise<string | undefined> {
    const { signal } = receiver.stop
    const isVisible = (event: ResourceEvent) => isFor(receiver.row, event)
    let isBegun = false
    for await (const followed of this.#options.log.follow({ isVisible, afterId, signal })) {
      const { kind, id } = followed
      if (kind === 'mark' && isBegun) return id
      if (kind === 'mark') isBegun = true
      if (kind === 'event') {
        const delivery = this.#deliveryOf(followed.event, receiver.row.projectId)
        // A changed webhook is closed, and its replacement continues with the same event.
        while (!(await receiver.webhook.deliver(delivery))) if (signal.aborted) return undefined
      }
      // A deleted webhook has no cursor.
      const isThere = this.#receivers.has(receiver.row.id)
      if (kind !== 'mark' && isThere) this.#cursors.note(receiver.row.id, id)
    }
    return undefined
  }

  #deliveryOf(event: ResourceEvent, projectId: string) {
    return deliveryOf(event, this.#options.bodyOf(event, projectId))
  }

  async #eventOf(id: string): Promise<ResourceEvent | undefined> {
    const cursor = parseCursor(id)
    if (cursor === undefined) return undefined
    for await (const commit of this.#options.store.history(cursor.lsn - 1)) {
      if (commit.lsn !== cursor.lsn) return undefined
      return eventsOf(commit)?.find(event => event.id === id)
    }
    return undefined
  }
}

/** Whether an event is sent to a webhook: none from before its creation. */
function isFor(
  { projectId, createdAt, eventTypes }: ProjectWebhook,
  { projectIds, at, type }: ResourceEvent,
): boolean {
  return (
    at > createdAt &&
    projectIds.includes(projectId) &&
    (eventTypes.length === 0 || eventTypes.some(beginning => type.startsWith(beginning)))
  )
}
