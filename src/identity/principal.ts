/** What has an id, and a name for people. */
export type Named = { readonly id: string; readonly name: string }

/** Someone known, and the project acted for. Whether our own rows say so or another identity service does not
 *  show. */
export type Principal = {
  readonly user: Named
  readonly userDomain: Named
  /** Undefined: no project was asked for, or the account has no default one that it may use. */
  readonly scope: ProjectScope | undefined
  /** What it logged in with, if that was an application credential and not a password. */
  readonly credential: CredentialInUse | undefined
}

/** A project and what someone is in it. */
export type ProjectScope = {
  readonly project: Named
  readonly domain: Named
  /** At least one; those implied by others are written out. */
  readonly roles: readonly Named[]
}

/** An application credential as the bearer of its token shows it. */
export type CredentialInUse = Named & { readonly isUnrestricted: boolean }

/** The roles that a principal acts with; none without a project. */
export function roleNamesOf({ scope }: Principal): readonly string[] {
  return scope?.roles.map(role => role.name) ?? []
}
