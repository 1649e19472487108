import type { Stamped } from './stamped.ts'

// The rows behind the Keystone v3 subset. Names are unique within their domain, or among all where there is no
// domain, in any case of letters.

export type Domain = Stamped & {
  readonly name: string
  readonly description: string
  readonly isEnabled: boolean
}

export type Project = Stamped & {
  readonly domainId: string
  readonly name: string
  readonly description: string
  readonly isEnabled: boolean
}

export type User = Stamped & {
  readonly domainId: string
  readonly name: string
  readonly description: string
  readonly email: string | null
  readonly isEnabled: boolean
  readonly defaultProjectId: string | null
  /** `scrypt$N$r$p$salt$hash`, base64. Never leaves identity/. */
  readonly passwordHash: string
  /** What a login with the password needs besides; not there or null: nothing. Never leaves identity/. */
  readonly secondFactor?: SecondFactor | null
}

/** Passcodes by time (RFC 6238) and recovery codes. */
export type SecondFactor = {
  /** Base32. */
  readonly secret: string
  /** The period of the last passcode that was used: none is taken twice. */
  readonly lastStep: number
  /** Of those that were not used yet. */
  readonly recoveryHashes: readonly string[]
}

/** The policy knows some by name (`builtInRoles`); others are free to be given and mean nothing here. */
export type Role = Stamped & { readonly name: string; readonly description: string }

/** One role of one user in one project. */
export type RoleAssignment = Stamped & {
  readonly userId: string
  readonly projectId: string
  readonly roleId: string
}

/** A key for programs: logs in as its user, for one project, with no more than its roles. */
export type ApplicationCredential = Stamped & {
  readonly userId: string
  readonly projectId: string
  /** Unique among the user's. */
  readonly name: string
  readonly description: string
  /** As a password's. */
  readonly secretHash: string
  /** Of these it has those that its user has in the project at the time. */
  readonly roleIds: readonly string[]
  /** Microseconds; null: never. */
  readonly expiresAt: number | null
  /** Whether it may make and delete application credentials itself. */
  readonly isUnrestricted: boolean
}

/** A token taken back before it expired; kept until then. */
export type RevokedToken = Stamped & { readonly expiresAt: number }

/** Server secrets that must survive a restart, such as the key that signs tokens; base64. */
export type Secret = Stamped & { readonly value: string }

/** The domain that exists from the first start. */
export const defaultDomainId = 'default'

/** The name of the first user, its project and its role. */
export const adminName = 'admin'

/** The roles that the policy knows; they exist from the first start. */
export const builtInRoles = ['admin', 'member', 'reader'] as const
