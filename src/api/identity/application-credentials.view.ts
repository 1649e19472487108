import type { ApplicationCredential, Role } from '../../model/identity.ts'
import type { PublicContext } from '../route.ts'
import { formatUtc } from './utc-timestamps.ts'

/** An application credential as Keystone shows it. Its secret is not kept and so never part of this. */
export function credentialView(
  credential: ApplicationCredential,
  roles: readonly Role[],
  { baseUrl }: PublicContext,
) {
  const { id, userId, projectId, name, description, expiresAt, isUnrestricted } = credential
  return {
    id,
    name,
    description,
    user_id: userId,
    project_id: projectId,
    roles: roles.map(role => ({ id: role.id, name: role.name, domain_id: null })),
    expires_at: expiresAt === null ? null : formatUtc(expiresAt),
    unrestricted: isUnrestricted,
    links: { self: `${baseUrl}/v3/users/${userId}/application_credentials/${id}` },
  }
}
