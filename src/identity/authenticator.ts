import { ApiError } from '../errors.ts'
import type { Principal } from './principal.ts'

/** The credentials of a request. */
export type Credentials = {
  /** X-Auth-Token. */
  readonly token: string | undefined
  /** Authorization; the Basic scheme is supported. Ignored if there is a token. */
  readonly authorization: string | undefined
  /** The peer's address: failed passwords are counted by it. */
  readonly peer: string
  /** The request was made on this machine, and not on behalf of a remote client. */
  readonly isLocal: boolean
}

/** Authenticates requests: our own identity service or another one. */
export type Authenticator = {
  /** @throws ApiError unauthorized, too_many_requests, keystone_communication_failure */
  authenticate(credentials: Credentials): Promise<Principal>
}

/** Gives one answer for every failed login, so that nothing can be learnt from it.
 *  @throws ApiError unauthorized, always */
export function refuseLogin(): never {
  throw new ApiError('unauthorized', 'The request you have made requires authentication.')
}
