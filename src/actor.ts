import { AsyncLocalStorage } from 'node:async_hooks'

/** Where a change came from: one of the APIs, a dynamic update, a zone file, a master, or the server itself. */
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

/** Who makes a change. Fields that are not known are left out. */
export type Actor = {
  readonly road: Road
  readonly user?: Named
  /** The project on whose behalf the change is made. */
  readonly projectId?: string
  /** The application credential used to log in. */
  readonly credential?: Named
  /** Name of the TSIG key of a dynamic update. */
  readonly key?: string
  /** Name of the scheduled job of the server. */
  readonly job?: string
  readonly requestId?: string
  /** IP address of the client; of a transfer, the master as the zone names it. */
  readonly address?: string
}

const actors = new AsyncLocalStorage<Actor>()
const server: Actor = { road: 'system' }

/** Does work for an actor: every change requested in the course of it, also after an await, is attributed to the actor. */
export function actingAs<T>(actor: Actor, work: () => T): T {
  return actors.run(actor, work)
}

/** The actor that the work is done for; the server itself where no other is known. */
export function currentActor(): Actor {
  return actors.getStore() ?? server
}
