import type { IncomingMessage } from 'node:http'
import type { Authenticator, Credentials } from '../../identity/authenticator.ts'
import type { Caller } from '../../identity/caller.ts'
import type { Principal } from '../../identity/principal.ts'
import { callerFor, type Wishes } from '../../identity/scoping.ts'
import { isFlagSet } from '../flag.ts'
import { isLocal } from './local-request.ts'
import { peerOf } from './peer.ts'
import { notePrincipal } from './request-actor.ts'

/** Returns the principal of a request.
 *  @throws ApiError unauthorized, too_many_requests, keystone_communication_failure */
export async function authenticatePrincipal(
  authenticator: Authenticator,
  request: IncomingMessage,
): Promise<Principal> {
  const principal = await authenticator.authenticate(credentialsOf(request))
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
  const principal = await authenticator.authenticate(credentialsOf(request))
  // What follows may refuse it, and the log names it then too.
  notePrincipal(request, principal)
  const caller = callerFor(principal, wishesOf(request, query))
  notePrincipal(request, principal, caller.projectId)
  return caller
}

function credentialsOf(request: IncomingMessage): Credentials {
  const { authorization } = request.headers
  const token = headerOf(request, 'x-auth-token')
  const given = token === undefined ? apiKeyOf(request) : undefined
  return {
    ...(given ?? { token, authorization }),
    peer: peerOf(request),
    // Hardly ever looked at.
    get isLocal() {
      return isLocal(request)
    },
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
