import type { Role } from '../../model/identity.ts'
import type { PublicContext } from '../route.ts'

/** A role as Keystone shows it. */
export function roleView({ id, name, description }: Role, context: PublicContext) {
  return {
    id,
    name,
    description,
    domain_id: null,
    options: {},
    links: { self: `${context.baseUrl}/v3/roles/${id}` },
  }
}
