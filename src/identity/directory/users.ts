import { ApiError } from '../../errors.ts'
import type { Changes } from '../../model/changes.ts'
import type { User } from '../../model/identity.ts'
import {
  type PasswordCheck,
  type PasswordRules,
  passwordCheck,
} from '../../model/password-rules.ts'
import { newStamp, updatedRow } from '../../model/stamped.ts'
import { keyOf } from '../../store/indexes.ts'
import type { Store, StoreReader, Transaction } from '../../store/store.ts'
import type { Logins } from '../logins.ts'
import { newId } from '../new-id.ts'
import type { PasswordHasher } from '../password-hasher.ts'
import { generatePassword } from '../passwords.ts'
import type { Principal } from '../principal.ts'
import { requireSelfOrAdministrator } from './access.ts'
import { type RowFilter, rowsInDomains } from './domain-rows.ts'
import { requireDomain } from './domains.ts'
import { keepingAnAdministrator } from './last-administrator.ts'
import { refuseUnknown, requireFreeName } from './refusals.ts'
import { removeUser } from './removal.ts'

export type UserDraft = {
  readonly domainId: string
  readonly name: string
  readonly description: string
  readonly email: string | null
  readonly isEnabled: boolean
  readonly defaultProjectId: string | null
  /** Undefined: no login with a password is possible. */
  readonly password: string | undefined
}

export type UserPatch = Changes<Omit<UserDraft, 'domainId'>>

type PasswordChange = {
  readonly original: string
  readonly password: string
  /** The client's address: wrong original passwords are counted like failed logins. */
  readonly peer: string
}

/** @throws ApiError not_found */
export function requireUser(store: StoreReader, id: string): User {
  return store.get('users', id) ?? refuseUnknown('user', id)
}

/** Users, who can log in. */
export class Users {
  readonly #store: Store
  readonly #hasher: PasswordHasher
  readonly #logins: Logins
  readonly #passwordProblem: PasswordCheck

  constructor(parts: {
    readonly store: Store
    readonly hasher: PasswordHasher
    readonly logins: Logins
    readonly passwordRules: PasswordRules
  }) {
    this.#store = parts.store
    this.#hasher = parts.hasher
    this.#logins = parts.logins
    this.#passwordProblem = passwordCheck(parts.passwordRules)
  }

  list(filter: RowFilter): readonly User[] {
    return rowsInDomains(this.#store, 'users', filter)
  }

  /** Users see themselves; an administrator sees all.
   *  @throws ApiError forbidden, not_found */
  get(principal: Principal, id: string): User {
    requireSelfOrAdministrator(principal, id)
    return requireUser(this.#store, id)
  }

  /** @throws ApiError not_found: the domain; bad_request: the default project, the password; conflict, too_many_requests */
  async create({ password, ...draft }: UserDraft): Promise<User> {
    this.#requireGoodPassword(password)
    // Hashing is slow, so it is done before the commit. An unknown random password is equivalent to none.
    const passwordHash = await this.#hasher.hash(password ?? generatePassword())
    return this.#store.commit(tx => {
      requireDomain(tx, draft.domainId)
      const user: User = { ...newStamp(tx, newId()), ...draft, passwordHash }
      requireFreeUserName(tx, draft)
      requireDefaultProject(tx, user)
      tx.put('users', user)
      return user
    })
  }

  /** A new password ends the tokens that were issued for the old one.
   *  @throws ApiError not_found, bad_request: the default project, the password; conflict, too_many_requests */
  async update(id: string, { password, ...others }: UserPatch): Promise<User> {
    requireUser(this.#store, id)
    this.#requireGoodPassword(password)
    const passwordHash = password === undefined ? undefined : await this.#hasher.hash(password)
    return this.#store.commit(tx => {
      const before = requireUser(tx, id)
      const user = updatedRow(tx, before, { ...others, passwordHash })
      requireFreeUserName(tx, user)
      if (user.defaultProjectId !== before.defaultProjectId) requireDefaultProject(tx, user)
      keepingAnAdministrator(tx, () => tx.put('users', user))
      return user
    })
  }

  /** Sets another password, for a client that knows the present one.
   *  @throws ApiError unauthorized: also where there is no such user; bad_request: the password; too_many_requests */
  async changePassword(id: string, { original, password, peer }: PasswordChange): Promise<void> {
    await this.#logins.provePassword({ id }, { password: original, peer })
    await this.update(id, { password })
  }

  #requireGoodPassword(password: string | undefined): void {
    const problem = password && this.#passwordProblem(password)
    if (problem)
      throw new ApiError('bad_request', `The password does not match the requirements: ${problem}.`)
  }

  /** @throws ApiError not_found, conflict: the last administrator */
  async delete(id: string): Promise<void> {
    await this.#store.commit(tx => {
      const user = requireUser(tx, id)
      keepingAnAdministrator(tx, () => removeUser(tx, user))
    })
  }
}

function requireFreeUserName(
  tx: Transaction,
  user: { readonly id?: string; readonly domainId: string; readonly name: string },
): void {
  const key = keyOf(user.domainId, user.name.toLowerCase())
  requireFreeName({ kind: 'user', ...user }, tx.find('users', 'byName', key))
}

function requireDefaultProject(tx: Transaction, { defaultProjectId }: User): void {
  if (defaultProjectId === null || tx.get('projects', defaultProjectId) !== undefined) return
  throw new ApiError('bad_request', `There is no project ${defaultProjectId} to be the default one`)
}
