import type { ProjectScope } from '../../identity/principal.ts'
import type { Session } from '../../identity/sessions.ts'
import { catalogView } from './catalog.view.ts'
import { formatUtc } from './utc-timestamps.ts'

export type TokenViewOptions = {
  readonly publicUrl: string
  /** Whether to leave the catalog out, which some clients ask for. */
  readonly withoutCatalog: boolean
}

/** A token as the identity service shows it. Without a project there is nothing to open, so no catalog. */
export function tokenView(session: Session, { publicUrl, withoutCatalog }: TokenViewOptions) {
  const { user, userDomain, scope, credential, claims } = session
  return {
    token: {
      methods: claims.methods,
      user: {
        id: user.id,
        name: user.name,
        domain: { id: userDomain.id, name: userDomain.name },
        password_expires_at: null,
      },
      audit_ids: [claims.auditId, claims.parentAuditId].filter(id => id !== null),
      issued_at: formatUtc(claims.issuedAtMillis * 1000),
      expires_at: formatUtc(claims.expiresAtMillis * 1000),
      ...(scope !== undefined && scopeView(scope)),
      ...(credential !== undefined && {
        application_credential: {
          id: credential.id,
          name: credential.name,
          restricted: !credential.isUnrestricted,
        },
      }),
      ...(scope !== undefined && !withoutCatalog && { catalog: catalogView(publicUrl) }),
    },
  }
}

function scopeView({ project, domain, roles }: ProjectScope) {
  return {
    project: {
      id: project.id,
      name: project.name,
      domain: { id: domain.id, name: domain.name },
    },
    is_domain: false,
    roles: roles.map(({ id, name }) => ({ id, name })),
  }
}
