import { randomBytes } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { ApiError } from '../../errors.ts'
import type { ApplicationCredential, Role } from '../../model/identity.ts'
import { newStamp } from '../../model/stamped.ts'
import type { Store, StoreReader } from '../../store/store.ts'
import { newId } from '../new-id.ts'
import type { PasswordHasher } from '../password-hasher.ts'
import type { Principal, ProjectScope } from '../principal.ts'
import { requireSelfOrAdministrator, requireUnrestricted } from './access.ts'
import { refuseUnknown, requireFreeName, requireRow } from './rows.ts'

/** How a client names a role: by id, or by name. */
type RoleReference = { readonly id?: string; readonly name?: string }

export type CredentialDraft = {
  readonly name: string
  readonly description: string
  /** Generated if not given. */
  readonly secret: string | undefined
  /** Microseconds; null: never. */
  readonly expiresAt: number | null
  /** Undefined: all roles of the user who creates it. */
  readonly roles: readonly RoleReference[] | undefined
  readonly isUnrestricted: boolean
  /** If given, must be the project that its creator acts for. */
  readonly projectId: string | undefined
}

type CreatedCredential = {
  readonly credential: ApplicationCredential
  /** Not stored, so this is the only time it can be shown. */
  readonly secret: string
}

/** More than any user has programs; rows that every user may create must be bounded. */
const maxCredentialsPerUser = 200

/** Application credentials: keys that users create for their programs. */
export class ApplicationCredentials {
  readonly #store: Store
  readonly #clock: Clock
  readonly #hasher: PasswordHasher

  constructor(parts: {
    readonly store: Store
    readonly clock: Clock
    readonly hasher: PasswordHasher
  }) {
    this.#store = parts.store
    this.#clock = parts.clock
    this.#hasher = parts.hasher
  }

  /** @throws ApiError forbidden, not_found */
  list(
    principal: Principal,
    userId: string,
    { name }: { readonly name?: string | undefined } = {},
  ): readonly ApplicationCredential[] {
    requireSelfOrAdministrator(principal, userId)
    requireRow(this.#store, 'users', userId)
    const rows = [...this.#store.list('applicationCredentials', 'byUser', userId)]
    return rows.filter(row => name === undefined || row.name.toLowerCase() === name.toLowerCase())
  }

  /** @throws ApiError forbidden, not_found */
  get(principal: Principal, place: CredentialKey): ApplicationCredential {
    requireSelfOrAdministrator(principal, place.userId)
    return getCredential(this.#store, place)
  }

  /** Those of its roles that its user still has. */
  rolesOf({ roleIds }: ApplicationCredential): readonly Role[] {
    return roleIds.map(id => this.#store.get('roles', id)).filter(role => role !== undefined)
  }

  /** Creates a key for the principal itself, in the project that it acts for. A key for another user cannot be created, since its
   *  use would count as that user's.
   *  @throws ApiError forbidden, bad_request, conflict, too_many_requests */
  async create(
    principal: Principal,
    userId: string,
    draft: CredentialDraft,
  ): Promise<CreatedCredential> {
    if (principal.user.id !== userId)
      throw new ApiError('forbidden', 'Application credentials are made by their users only')
    requireUnrestricted(principal)
    const scope = scopeFor(principal, draft)
    this.#requireFuture(draft)
    const { name, description, expiresAt, isUnrestricted } = draft
    const roleIds = roleIdsOf(scope, draft.roles)
    const secret = draft.secret ?? generateSecret()
    const secretHash = await this.#hasher.hash(secret, userId)
    const credential = await this.#store.commit(tx => {
      requireRow(tx, 'users', userId)
      const row: ApplicationCredential = {
        ...newStamp(tx, newId()),
        userId,
        projectId: scope.project.id,
        name,
        description,
        secretHash,
        roleIds,
        expiresAt,
        isUnrestricted,
      }
      requireFreeName(tx, 'applicationCredentials', row)
      if (tx.count('applicationCredentials', 'byUser', userId) >= maxCredentialsPerUser)
        throw new ApiError('forbidden', `A user has ${maxCredentialsPerUser} of them at most`)
      return tx.put('applicationCredentials', row)
    })
    return { credential, secret }
  }

  /** Deletes a credential and ends the tokens that were issued for it.
   *  @throws ApiError forbidden, not_found */
  async delete(principal: Principal, place: CredentialKey): Promise<void> {
    requireUnrestricted(principal)
    requireSelfOrAdministrator(principal, place.userId)
    await this.#store.commit(tx => tx.delete('applicationCredentials', getCredential(tx, place).id))
  }

  #requireFuture({ expiresAt }: CredentialDraft): void {
    if (expiresAt === null || expiresAt > this.#clock.nowMillis() * 1000) return
    throw new ApiError('bad_request', 'expires_at is not in the future')
  }
}

/** @throws ApiError forbidden, bad_request */
function scopeFor({ scope }: Principal, { projectId }: CredentialDraft): ProjectScope {
  if (scope === undefined)
    throw new ApiError('forbidden', 'An application credential needs a project to be for')
  if (projectId !== undefined && projectId !== scope.project.id)
    throw new ApiError('bad_request', 'An application credential is for the project of its maker')
  return scope
}

/** Identifies a credential, below its user. */
export type CredentialKey = { readonly userId: string; readonly id: string }

/** @throws ApiError not_found: also where it is another user's */
function getCredential(reader: StoreReader, { userId, id }: CredentialKey): ApplicationCredential {
  const row = reader.get('applicationCredentials', id)
  return row?.userId === userId ? row : refuseUnknown('applicationCredentials', id)
}

/** @throws ApiError bad_request: a role that its creator does not have */
function roleIdsOf(
  { roles }: ProjectScope,
  wanted: readonly RoleReference[] | undefined,
): readonly string[] {
  if (wanted === undefined) return roles.map(({ id }) => id)
  return wanted.map(({ id, name }) => {
    const role = roles.find(role =>
      id === undefined ? role.name.toLowerCase() === name?.toLowerCase() : role.id === id,
    )
    if (role === undefined)
      throw new ApiError('bad_request', `You do not have the role ${id ?? name} in the project`)
    return role.id
  })
}

/** 512 random bits, as long as Keystone's. */
function generateSecret(): string {
  return randomBytes(64).toString('base64url')
}
