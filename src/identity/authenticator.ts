import { ApiError } from '../errors.ts'
import type { Principal } from './principal.ts'

/** What a request shows to say who it is from. */
export type Credentials = {
  /** X-Auth-Token. */
  readonly token: string | undefined
  /** Authorization, of which the Basic scheme is understood. Not looked at beside a token. */
  readonly authorization: string | undefined
  /** The peer's address: failed passwords are counted by it. */
  readonly peer: string
  /** The request was made on this machine, and not on behalf of somebody elsewhere. */
  readonly isLocal: boolean
}

/** Says who makes a request: our own identity service or another one. */
export type Authenticator = {
  /** @throws ApiError unauthorized, too_many_requests, keystone_communication_failure */
  authenticate(credentials: Credentials): Promise<Principal>
}

/** One answer for all that does not fit, so that nothing can be learnt from it.
 *  @throws ApiError unauthorized, always */
export function refuseLogin(): never {
  throw new ApiError('unauthorized', 'The request you have made requires authentication.')
}
