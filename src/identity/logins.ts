import type { Clock } from '../clock.ts'
import { ApiError } from '../errors.ts'
import type { Project, User } from '../model/identity.ts'
import type { Store } from '../store/store.ts'
import {
  type Account,
  type AccountScope,
  type CredentialReference,
  defaultScopeOf,
  enabledDomainOf,
  findCredential,
  findProject,
  findUser,
  type Reference,
  scopeIn,
  scopeOfCredential,
} from './accounts.ts'
import { refuseLogin } from './authenticator.ts'
import type { OpenidLogins, OpenidProof } from './openid/openid-logins.ts'
import type { PasswordAttempt, PasswordChecker } from './password-checker.ts'
import type { SecondFactors } from './second-factors.ts'
import type { LoginProof, Session, Sessions } from './sessions.ts'

/** The scope that a login requests for its token: a project, explicitly none, or (undefined) the account's default. */
export type Scope = { readonly project: Reference } | 'unscoped' | undefined

export type LoginRequest = {
  /** Each must succeed, and all for the same account. */
  readonly methods: readonly string[]
  readonly password?: { readonly user: Reference & { readonly password: string } } | undefined
  /** In addition to a password, of the same user. */
  readonly totp?: { readonly user: { readonly passcode: string } } | undefined
  /** The proof that a user brings back from an OpenID provider. */
  readonly openid?: OpenidProof | undefined
  readonly token?: { readonly id: string } | undefined
  readonly applicationCredential?: (CredentialReference & { readonly secret: string }) | undefined
  readonly scope: Scope
  readonly peer: string
}

/** A failed login: the account as the client named it, and the client's address. */
export type FailedLogin = {
  readonly account: string
  readonly peer: string
  readonly reason: 'refused' | 'too many failures'
}

/** A new token and its owner. */
export type Login = Session & { readonly token: string }

/** The account of a login, and how it was proved. */
type Proof = Omit<Account, 'scope'> & LoginProof

/** The account of a login attempt; undefined where it does not exist. */
type Claimant = Pick<Account, 'credential'> & { readonly user: User | undefined }

type LoginsOptions = {
  readonly store: Store
  readonly clock: Clock
  readonly sessions: Sessions
  readonly passwords: PasswordChecker
  readonly secondFactors: SecondFactors
  readonly openid: OpenidLogins | undefined
  readonly onFailedLogin: (failure: FailedLogin) => void
}

/** Checks logins and issues tokens for them. */
export class Logins {
  readonly #options: LoginsOptions

  constructor(options: LoginsOptions) {
    this.#options = options
  }

  /** @throws ApiError unauthorized, second_factor_required, too_many_requests */
  async logIn(request: LoginRequest): Promise<Login> {
    const proof = await this.#withSecondFactor(await this.#prove(request), request)
    return this.#options.sessions.issue(
      { ...proof, scope: this.#scopeOf(proof, request.scope) },
      proof,
    )
  }

  /** Returns the owner of a password.
   *  @throws ApiError unauthorized, too_many_requests */
  async provePassword(
    reference: Reference,
    shown: { readonly password: string; readonly peer: string },
  ): Promise<Omit<Account, 'scope'>> {
    const user = findUser(this.#options.store, reference)
    const account = reference.id ?? reference.name ?? ''
    const holder = user && { id: user.id, secretHash: user.passwordHash }
    return this.#proveSecret({ holder, account, ...shown }, { user, credential: undefined })
  }

  /** Returns the owner of an application credential; undefined where there is none with this id.
   *  @throws ApiError unauthorized, too_many_requests */
  async proveBasicCredential(
    id: string,
    { password, peer }: { readonly password: string; readonly peer: string },
  ): Promise<Account | undefined> {
    if (this.#options.store.get('applicationCredentials', id) === undefined) return undefined
    const proof = await this.#proveByCredential({ id, secret: password }, peer)
    return { ...proof, scope: this.#scopeOf(proof, undefined) }
  }

  async #prove(request: LoginRequest): Promise<Proof> {
    let proof: Proof | undefined
    for (const method of new Set(request.methods)) {
      if (method === 'totp') continue
      const next = await this.#proveBy(method, request)
      proof = proof === undefined ? next : joined(proof, next)
    }
    return proof ?? refuseLogin()
  }

  /** A passcode is checked only after the password, so that it reveals nothing to clients without the password. */
  async #withSecondFactor(proof: Proof, request: LoginRequest): Promise<Proof> {
    const { user, methods } = proof
    const isAsked = request.methods.includes('totp')
    if (isAsked && user.secondFactor != null && request.totp !== undefined) {
      await this.#passcode(user, request.totp.user.passcode, request.peer)
      return { ...proof, methods: [...methods, 'totp'] }
    }
    if (isAsked) return refuseLogin()
    // The owner of a token or an application credential has logged in with both factors before.
    if (user.secondFactor == null || methods.some(method => method !== 'password')) return proof
    throw new ApiError('second_factor_required', 'A passcode is needed beside the password')
  }

  async #passcode(user: User, passcode: string, peer: string): Promise<void> {
    try {
      await this.#options.secondFactors.requirePasscode(user, passcode)
    } catch (error) {
      this.#noteFailure(error, { account: user.name, peer })
      throw error
    }
  }

  async #proveBy(method: string, request: LoginRequest): Promise<Proof> {
    const { password, openid, token, applicationCredential, peer } = request
    if (method === 'password' && password !== undefined) {
      const { user } = password
      const known = await this.provePassword(user, { password: user.password, peer })
      return { ...known, methods: ['password'], shown: undefined }
    }
    if (method === 'openid' && openid !== undefined) return this.#proveByOpenid(openid, peer)
    if (method === 'token' && token !== undefined) return this.#proveByToken(token.id)
    if (method === 'application_credential' && applicationCredential !== undefined)
      return this.#proveByCredential(applicationCredential, peer)
    return refuseLogin()
  }

  async #proveByOpenid(proof: OpenidProof, peer: string): Promise<Proof> {
    try {
      const user = (await this.#options.openid?.prove(proof, peer)) ?? refuseLogin()
      const known = this.#openAccountOf({ user, credential: undefined })
      return { ...known, methods: ['openid'], shown: undefined }
    } catch (error) {
      this.#noteFailure(error, { account: 'OpenID', peer })
      throw error
    }
  }

  #proveByToken(token: string): Proof {
    const { user, claims } = this.#options.sessions.find(token) ?? refuseLogin()
    const account = this.#openAccountOf({
      user: this.#options.store.get('users', user.id),
      credential: this.#options.store.get('applicationCredentials', claims.credentialId ?? ''),
    })
    return {
      ...account,
      methods: [...new Set([...claims.methods, 'token' as const])],
      shown: claims,
    }
  }

  async #proveByCredential(
    reference: CredentialReference & { readonly secret: string },
    peer: string,
  ): Promise<Proof> {
    const credential = findCredential(this.#options.store, reference)
    const { id, name, user, secret } = reference
    const known = await this.#proveSecret(
      {
        holder: credential,
        account: id ?? `${user?.id ?? user?.name} ${name}`,
        password: secret,
        peer,
      },
      { user: credential && this.#options.store.get('users', credential.userId), credential },
    )
    return { ...known, methods: ['application_credential'], shown: undefined }
  }

  async #proveSecret(
    attempt: PasswordAttempt,
    claimant: Claimant,
  ): Promise<Omit<Account, 'scope'>> {
    // A disabled account costs the same and gets the same answer as a wrong password.
    try {
      const isMatch = await this.#options.passwords.check(attempt)
      return isMatch ? this.#openAccountOf(claimant) : refuseLogin()
    } catch (error) {
      this.#noteFailure(error, attempt)
      throw error
    }
  }

  #noteFailure(error: unknown, { account, peer }: Pick<FailedLogin, 'account' | 'peer'>): void {
    const type = error instanceof ApiError ? error.type : undefined
    if (type === 'unauthorized') this.#options.onFailedLogin({ account, peer, reason: 'refused' })
    if (type === 'too_many_requests')
      this.#options.onFailedLogin({ account, peer, reason: 'too many failures' })
  }

  /** @throws ApiError unauthorized: the account is disabled, or its application credential has expired */
  #openAccountOf({ user, credential }: Claimant): Omit<Account, 'scope'> {
    const userDomain = user === undefined ? undefined : enabledDomainOf(this.#options.store, user)
    if (user === undefined || userDomain === undefined) return refuseLogin()
    const expiresAt = credential?.expiresAt ?? Infinity
    if (expiresAt <= this.#options.clock.nowMillis() * 1000) return refuseLogin()
    return { user, userDomain, credential }
  }

  #scopeOf(proof: Proof, scope: Scope): AccountScope | undefined {
    const { user, credential } = proof
    if (credential !== undefined) {
      const fixed = scopeOfCredential(this.#options.store, user, credential) ?? refuseLogin()
      this.#requireSameProject({ user, fixed }, scope)
      return fixed
    }
    if (scope === undefined) return defaultScopeOf(this.#options.store, user)
    if (scope === 'unscoped') return undefined
    return (
      scopeIn(this.#options.store, user, this.#projectFor(user, scope.project)) ?? refuseLogin()
    )
  }

  /** An application credential is for one project, which need not be requested. */
  #requireSameProject(
    { user, fixed }: { readonly user: User; readonly fixed: AccountScope },
    scope: Scope,
  ): void {
    if (scope === undefined) return
    const isSame =
      scope !== 'unscoped' && this.#projectFor(user, scope.project)?.id === fixed.project.id
    if (!isSame)
      throw new ApiError('unauthorized', 'Application credentials cannot request another scope')
  }

  /** Some clients name a project without its domain: then the user's domain is meant. */
  #projectFor({ domainId }: User, project: Reference): Project | undefined {
    return findProject(this.#options.store, { domain: { id: domainId }, ...project })
  }
}

function joined(one: Proof, other: Proof): Proof {
  if (one.user.id !== other.user.id) refuseLogin()
  const credential = one.credential ?? other.credential
  const isOtherCredential = (other.credential ?? credential)?.id !== credential?.id
  if (isOtherCredential) refuseLogin()
  const methods = [...new Set([...one.methods, ...other.methods])]
  return { ...one, credential, methods, shown: one.shown ?? other.shown }
}
