import type { Domain } from '../../model/identity.ts'
import type { PublicContext } from '../route.ts'

/** A domain as Keystone shows it. */
export function domainView({ id, name, description, isEnabled }: Domain, context: PublicContext) {
  return {
    id,
    name,
    description,
    enabled: isEnabled,
    tags: [],
    options: {},
    links: { self: `${context.baseUrl}/v3/domains/${id}` },
  }
}
