import type { Stamped } from './stamped.ts'

// The rows behind the Keystone v3 subset. Names are unique, ignoring case, within their domain, or globally where
// there is no domain.

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
  /** What a login needs in addition to the password; absent or null: nothing. Never leaves identity/. */
  readonly secondFactor?: SecondFactor | null
}

/** Time-based passcodes (RFC 6238) and recovery codes. */
export type SecondFactor = {
  /** Base32. */
  readonly secret: string
  /** The period of the last passcode that was used: no passcode is accepted twice. */
  readonly lastStep: number
  /** The hashes of unused recovery codes. */
  readonly recoveryHashes: readonly string[]
}

/** The policy knows some by name (`builtInRoles`); others can be assigned and have no effect here. */
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
  /** Unique among the user's credentials. */
  readonly name: string
  readonly description: string
  /** As a password's. */
  readonly secretHash: string
  /** The roles granted; only those count that its user has in the project at the time. */
  readonly roleIds: readonly string[]
  /** Microseconds; null: never. */
  readonly expiresAt: number | null
  /** Whether it may create and delete application credentials. */
  readonly isUnrestricted: boolean
}

/** A token revoked before it expired; the row is kept until then. */
export type RevokedToken = Stamped & {
  readonly expiresAt: number
  /** Absent in rows of earlier builds. */
  readonly userId?: string
}

/** What a server keeps for itself: the key that signs tokens (base64), and `ratingTermId`. */
export type Secret = Stamped & { readonly value: string }

/** The domain that exists from the first start. */
export const defaultDomainId = 'default'

/** The name of the first user, its project and its role. */
export const adminName = 'admin'

/** The roles that the policy knows; they exist from the first start. */
export const builtInRoles = ['admin', 'member', 'reader'] as const
