import { AsyncLocalStorage } from 'node:async_hooks'

/** How a change came: by one of the APIs, as a dynamic update, out of a zone file, from a master, or of the server's own. */
export type Road =
  | 'v1'
  | 'v2'
  | 'powerdns'
  | 'identity'
  | 'rating'
  | 'update'
  | 'import'
  | 'transfer'
  | 'system'

type Named = { readonly id: string; readonly name: string }

/** Who makes a change. What is not known is left out. */
export type Actor = {
  readonly road: Road
  readonly user?: Named
  /** The project that is acted for. */
  readonly projectId?: string
  /** The application credential that was logged in with. */
  readonly credential?: Named
  /** Name of the TSIG key of a dynamic update. */
  readonly key?: string
  /** What the server does by the clock. */
  readonly job?: string
  readonly requestId?: string
  /** IP address of the client; of a transfer, the master as the zone names it. */
  readonly address?: string
}

const actors = new AsyncLocalStorage<Actor>()
const server: Actor = { road: 'system' }

/** Does work for an actor: it is who makes every change that is asked for in the course of it, also behind a wait. */
export function actingAs<T>(actor: Actor, work: () => T): T {
  return actors.run(actor, work)
}

/** For whom work is done; the server itself where nobody else is known. */
export function currentActor(): Actor {
  return actors.getStore() ?? server
}
