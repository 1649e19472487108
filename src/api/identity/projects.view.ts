import type { Project } from '../../model/identity.ts'
import type { PublicContext } from '../route.ts'

/** A project as Keystone shows it. There is no tree of them: each stands right below its domain. */
export function projectView(project: Project, context: PublicContext) {
  const { id, name, description, domainId, isEnabled } = project
  return {
    id,
    name,
    description,
    domain_id: domainId,
    parent_id: domainId,
    is_domain: false,
    enabled: isEnabled,
    tags: [],
    options: {},
    links: { self: `${context.baseUrl}/v3/projects/${id}` },
  }
}
