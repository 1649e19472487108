import { ApiError } from '../../errors.ts'
import type { Changes } from '../../model/changes.ts'
import type { User } from '../../model/identity.ts'
import {
  type PasswordCheck,
  type PasswordRules,
  passwordCheck,
} from '../../model/password-rules.ts'
import { newStamp, updatedRow } from '../../model/stamped.ts'
import type { Store, Transaction } from '../../store/store.ts'
import type { Logins } from '../logins.ts'
import { newId } from '../new-id.ts'
import type { PasswordHasher } from '../password-hasher.ts'
import { generatePassword } from '../passwords.ts'
import type { Principal } from '../principal.ts'
import { requireSelfOrAdministrator } from './access.ts'
import { type RowFilter, rowsInDomains } from './domain-rows.ts'
import { keepingAnAdministrator } from './last-administrator.ts'
import { removeUser } from './removal.ts'
import { requireFreeName, requireRow } from './rows.ts'

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
    return requireRow(this.#store, 'users', id)
  }

  /** @throws ApiError not_found: the domain; bad_request: the default project, the password; conflict, too_many_requests */
  async create({ password, ...draft }: UserDraft): Promise<User> {
    this.#requireGoodPassword(password)
    // Hashing is slow, so it is done before the commit. An unknown random password is equivalent to none.
    const passwordHash = await this.#hasher.hash(password ?? generatePassword())
    return this.#store.commit(tx => {
      requireRow(tx, 'domains', draft.domainId)
      const user: User = { ...newStamp(tx, newId()), ...draft, passwordHash }
      requireFreeName(tx, 'users', user)
      requireDefaultProject(tx, user)
      return tx.put('users', user)
    })
  }

  /** A new password ends the tokens that were issued for the old one.
   *  @throws ApiError not_found, bad_request: the default project, the password; conflict, too_many_requests */
  async update(id: string, { password, ...others }: UserPatch): Promise<User> {
    requireRow(this.#store, 'users', id)
    this.#requireGoodPassword(password)
    const passwordHash = password === undefined ? undefined : await this.#hasher.hash(password, id)
    return this.#store.commit(tx => {
      const before = requireRow(tx, 'users', id)
      const user = updatedRow(tx, before, { ...others, passwordHash })
      requireFreeName(tx, 'users', user)
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
      const user = requireRow(tx, 'users', id)
      keepingAnAdministrator(tx, () => removeUser(tx, user))
    })
  }
}

function requireDefaultProject(tx: Transaction, { defaultProjectId }: User): void {
  if (defaultProjectId === null || tx.get('projects', defaultProjectId) !== undefined) return
  throw new ApiError('bad_request', `There is no project ${defaultProjectId} to be the default one`)
}
