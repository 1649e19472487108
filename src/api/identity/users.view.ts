import type { User } from '../../model/identity.ts'
import type { PublicContext } from '../route.ts'

/** A user as Keystone shows it; passwords do not expire. */
export function userView(user: User, context: PublicContext) {
  const { id, name, description, email, domainId, defaultProjectId, isEnabled } = user
  return {
    id,
    name,
    description,
    ...(email !== null && { email }),
    domain_id: domainId,
    ...(defaultProjectId !== null && { default_project_id: defaultProjectId }),
    enabled: isEnabled,
    password_expires_at: null,
    options: {},
    links: { self: `${context.baseUrl}/v3/users/${id}` },
  }
}
