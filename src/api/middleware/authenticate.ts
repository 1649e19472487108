import type { IncomingMessage } from 'node:http'
import type { Authenticator, Credentials } from '../../identity/authenticator.ts'
import type { Caller } from '../../identity/caller.ts'
import type { Principal } from '../../identity/principal.ts'
import { callerFor, type Wishes } from '../../identity/scoping.ts'
import { isFlagSet } from '../flag.ts'
import { isLocal } from './local-request.ts'
import { notePrincipal, peerOf } from './request-notes.ts'

/** Returns the principal of a request.
 *  @throws ApiError unauthorized, too_many_requests, keystone_communication_failure */
export async function authenticatePrincipal(
  authenticator: Authenticator,
  request: IncomingMessage,
): Promise<Principal> {
  const principal = await authenticator.authenticate(new GivenCredentials(request))
  notePrincipal(request, principal)
  return principal
}

/** Returns the caller of a request: its user, its project, and the powers that its headers and query ask for.
 *  @throws ApiError as above, and missing_project_id, forbidden */
export async function authenticate(
  authenticator: Authenticator,
  request: IncomingMessage,
  query: URLSearchParams,
): Promise<Caller> {
  // It is noted at once: what follows may refuse it, and the log names it then too.
  const principal = await authenticatePrincipal(authenticator, request)
  const caller = callerFor(principal, wishesOf(request, query))
  notePrincipal(request, principal, caller.projectId)
  return caller
}

/** A class, not an object with a getter: V8 makes a hidden class for each of those, which is old from the start and keeps the
 *  request, and whatever that refers to, until a full collection. */
class GivenCredentials implements Credentials {
  readonly token: string | undefined
  readonly authorization: string | undefined
  readonly #request: IncomingMessage

  constructor(request: IncomingMessage) {
    const token = headerOf(request, 'x-auth-token')
    const given = token === undefined ? apiKeyOf(request) : undefined
    this.token = given === undefined ? token : given.token
    this.authorization = given === undefined ? request.headers.authorization : given.authorization
    this.#request = request
  }

  get peer(): string {
    return peerOf(this.#request)
  }

  /** Hardly ever looked at. */
  get isLocal(): boolean {
    return isLocal(this.#request)
  }
}

/** The key of PowerDNS clients: a token, or an application credential as `<id>:<secret>`. */
function apiKeyOf(
  request: IncomingMessage,
): Pick<Credentials, 'token' | 'authorization'> | undefined {
  const key = headerOf(request, 'x-api-key')
  if (key === undefined) return undefined
  if (!key.includes(':')) return { token: key, authorization: undefined }
  return { token: undefined, authorization: `Basic ${Buffer.from(key).toString('base64')}` }
}

function wishesOf(request: IncomingMessage, query: URLSearchParams): Wishes {
  return {
    sudoProjectId:
      headerOf(request, 'x-auth-sudo-project-id') ?? headerOf(request, 'x-auth-sudo-tenant-id'),
    hasAllProjects:
      isFlagSet(headerOf(request, 'x-auth-all-projects')) ||
      isFlagSet(query.get('all_projects')) ||
      isFlagSet(query.get('all_tenants')),
    mayEditManagedRecords:
      isFlagSet(headerOf(request, 'x-designate-edit-managed-records')) ||
      isFlagSet(query.get('edit_managed_records')),
    wantsHardDelete: isFlagSet(headerOf(request, 'x-designate-hard-delete')),
    wantsDeleteShares: isFlagSet(headerOf(request, 'x-designate-delete-shares')),
  }
}

/** A header that is there and not empty. */
function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
