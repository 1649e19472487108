/** A resource with an id, and a name for people. */
export type Named = { readonly id: string; readonly name: string }

/** An authenticated user, and the project acted for. It is the same whether our own rows or another identity service vouch
 *  for it. */
export type Principal = {
  readonly user: Named
  readonly userDomain: Named
  /** Undefined: no project was asked for, or the account has no default one that it may use. */
  readonly scope: ProjectScope | undefined
  /** The application credential that it logged in with, if any. */
  readonly credential: CredentialInUse | undefined
}

/** A project and the roles of a user in it. */
export type ProjectScope = {
  readonly project: Named
  readonly domain: Named
  /** At least one; those implied by others are written out. */
  readonly roles: readonly Named[]
}

/** The application credential of a token. */
type CredentialInUse = Named & { readonly isUnrestricted: boolean }

/** The roles that a principal acts with; none without a project. */
export function roleNamesOf({ scope }: Principal): readonly string[] {
  return scope?.roles.map(role => role.name) ?? []
}
