import { ApiError } from '../../errors.ts'
import { type Caller, isAdmin } from '../../identity/caller.ts'
import type { EventLog, Followed } from '../../service/events/event-log.ts'
import type { ResourceEvent } from '../../service/events/resource-event.ts'
import { text } from '../openapi/fields.ts'
import { type RequestContext, type Route, route } from '../route.ts'
import { formatTimestamp } from '../timestamps.ts'
import { actorView } from './actor.view.ts'

/** The stream of changes (server-sent events, WHATWG HTML section 9.2): of the caller's project, or of all with
 *  X-Auth-All-Projects. `Last-Event-ID` continues after an event, also one of an earlier run of the server; where events are
 *  missing there is a `dns.events.gap`. */
export function eventRoutes(events: EventLog, { confirmEveryMs = 15_000 } = {}): readonly Route[] {
  return [
    route('GET /events', {
      rule: 'find_zones',
      summary: 'Streams changes as they happen',
      answers: { 200: text('data: {…}') },
      produces: 'text/event-stream',
      handler: async context => ({
        status: 200,
        headers: { 'content-type': 'text/event-stream; charset=utf-8' },
        stream: signal => eventStream(events, { context, signal, confirmEveryMs }),
      }),
    }),
  ]
}

type Streaming = {
  readonly context: RequestContext
  readonly signal: AbortSignal
  readonly confirmEveryMs: number
}

/** Ends when the credentials of its request become invalid: a token expires or is revoked, or a role is revoked. */
async function* eventStream(
  events: EventLog,
  { context, signal, confirmEveryMs }: Streaming,
): AsyncGenerator<string> {
  const { caller, header } = context
  const isVisible = ({ projectIds }: ResourceEvent) =>
    projectIds.includes(caller.projectId) ||
    caller.hasAllProjects ||
    (projectIds.length === 0 && isAdmin(caller))
  // The first octets show the client that it is connected, before any event.
  yield ': connected\n\n'
  let confirmedAtMs = performance.now()
  const follow = { isVisible, afterId: header('last-event-id'), signal }
  for await (const followed of events.follow(follow)) {
    if (performance.now() - confirmedAtMs >= confirmEveryMs) {
      if (!(await isConfirmed(context))) return
      confirmedAtMs = performance.now()
    }
    yield eventText(followed, caller)
  }
}

async function isConfirmed(context: RequestContext): Promise<boolean> {
  try {
    await context.confirm()
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

function eventText(followed: Followed, caller: Caller): string {
  const { kind, id } = followed
  // Without data nothing is dispatched, but the client remembers the id (WHATWG HTML section 9.2.6).
  if (kind === 'mark') return `id: ${id}\n: up to here\n\n`
  if (kind === 'gap') return `id: ${id}\nevent: dns.events.gap\ndata: {}\n\n`
  const { type } = followed.event
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(eventBody(followed.event, caller))}\n\n`
}

/** An event as clients see it, in the stream and in webhooks.
 *  @param caller the viewer; undefined: the operator */
export function eventBody(event: ResourceEvent, caller?: Caller): object {
  const { id, type, at, actor, payload } = event
  const timestamp = formatTimestamp(at)
  return { id, event_type: type, timestamp, actor: actorView(actor, caller), payload }
}
