import type { Clock } from '../clock.ts'
import { ApiError } from '../errors.ts'
import type { User } from '../model/identity.ts'
import { newStamp } from '../model/stamped.ts'
import { everything } from '../store/indexes.ts'
import type { Store } from '../store/store.ts'
import { type Account, enabledDomainOf, scopeIn, scopeOfCredential } from './accounts.ts'
import type { FixedAdministrator } from './administrator.ts'
import type { Principal } from './principal.ts'
import {
  encodeToken,
  type LoginMethod,
  newAuditId,
  secretStampOf,
  type TokenClaims,
} from './tokens.ts'
import { tooManyRequests } from './too-many-requests.ts'
import { VerifiedTokens } from './verified-tokens.ts'

/** A valid token's bearer and claims. */
export type Session = Principal & { readonly claims: TokenClaims }

type SessionOptions = {
  readonly store: Store
  readonly clock: Clock
  readonly signingKey: Buffer
  readonly administrator: FixedAdministrator
}

/** How a login was proved. */
export type LoginProof = {
  readonly methods: readonly LoginMethod[]
  /** The token that was used to log in, if any. */
  readonly shown: TokenClaims | undefined
}

const tokenLifetimeMillis = 3_600_000
/** The audit id of the fixed administrator token, which has no claims. */
const adminTokenAuditId = 'admin-token'
/** More than any user's programs revoke within the lifetime of a token; rows that every user may create must be bounded. */
const maxRevokedPerUser = 10_000
/** How often a job forgets those that have expired. */
const purgeSeconds = 600
/** Bounds how long one commit of the purge delays other commits. */
const maxPurgedAtOnce = 1_000

/** Issues, resolves and revokes tokens. */
export class Sessions {
  readonly #options: SessionOptions
  readonly #verified: VerifiedTokens

  constructor(options: SessionOptions) {
    this.#options = options
    this.#verified = new VerifiedTokens(options.signingKey)
  }

  /** Issues a token. A token obtained with another one does not outlive it, nor its application credential. */
  issue(account: Account, { methods, shown }: LoginProof): Session & { readonly token: string } {
    const { user, scope, credential } = account
    const nowMillis = this.#options.clock.nowMillis()
    const credentialEndMillis = Math.floor((credential?.expiresAt ?? Infinity) / 1000)
    const claims: TokenClaims = {
      userId: user.id,
      projectId: scope?.project.id ?? null,
      methods,
      issuedAtMillis: nowMillis,
      expiresAtMillis: Math.min(
        shown?.expiresAtMillis ?? nowMillis + tokenLifetimeMillis,
        credentialEndMillis,
      ),
      auditId: newAuditId(),
      parentAuditId: shown?.parentAuditId ?? shown?.auditId ?? null,
      credentialId: credential?.id ?? null,
      secretStamp: secretStampOf(credential?.secretHash ?? secretOf(user)),
    }
    return { ...account, claims, token: encodeToken(claims, this.#options.signingKey) }
  }

  /** Returns the session of a token; undefined when the token is not ours, expired or revoked, or when its account, secret,
   *  project or role is no longer what it was issued for. */
  find(token: string): Session | undefined {
    const claims = this.#verified.claimsOf(token)
    if (claims === undefined) return this.#administratorSession(token)
    if (claims.expiresAtMillis <= this.#options.clock.nowMillis()) return undefined
    if (this.#options.store.get('revokedTokens', claims.auditId) !== undefined) return undefined
    const account = this.#accountOf(claims)
    return account === undefined ? undefined : { ...account, claims }
  }

  /** Revokes a token.
   *  @throws ApiError forbidden: the fixed administrator token is a setting and ends with it; too_many_requests */
  async revoke({ claims }: Session): Promise<void> {
    if (claims.auditId === adminTokenAuditId)
      throw new ApiError('forbidden', 'The fixed administrator token ends with its setting only')
    await this.#options.store.commit(tx => {
      const { userId, auditId, expiresAtMillis } = claims
      if (tx.count('revokedTokens', 'byUser', userId) >= maxRevokedPerUser)
        throw tooManyRequests('Too many revoked tokens that have not expired', purgeSeconds)
      const row = { ...newStamp(tx, auditId), userId, expiresAt: expiresAtMillis * 1000 }
      tx.put('revokedTokens', row)
    })
  }

  /** Forgets the revoked tokens that have also expired. Returns how many. */
  async purgeRevoked(): Promise<number> {
    let purgedCount = 0
    let expired = this.#expiredRevocations()
    while (expired.length > 0) {
      const ids = expired
      await this.#options.store.commit(tx => {
        for (const id of ids) tx.delete('revokedTokens', id)
      })
      purgedCount += ids.length
      expired = this.#expiredRevocations()
    }
    return purgedCount
  }

  #expiredRevocations(): readonly string[] {
    const nowMicros = this.#options.clock.nowMillis() * 1000
    const ids: string[] = []
    for (const row of this.#options.store.list('revokedTokens', 'all', everything)) {
      // Younger ones, and so all that follow, may still have been valid a moment ago.
      if (row.createdAt + tokenLifetimeMillis * 1000 > nowMicros) break
      if (row.expiresAt <= nowMicros) ids.push(row.id)
      if (ids.length === maxPurgedAtOnce) break
    }
    return ids
  }

  /** The present account of claims. */
  #accountOf(claims: TokenClaims): Account | undefined {
    const store = this.#options.store
    const user = store.get('users', claims.userId)
    const userDomain = user === undefined ? undefined : enabledDomainOf(store, user)
    if (user === undefined || userDomain === undefined) return undefined
    if (claims.credentialId !== null) {
      const credential = this.#credentialOf(claims.credentialId, claims)
      const scope = credential && scopeOfCredential(store, user, credential)
      return scope === undefined ? undefined : { user, userDomain, scope, credential }
    }
    if (secretStampOf(secretOf(user)) !== claims.secretStamp) return undefined
    const known = { user, userDomain, credential: undefined }
    if (claims.projectId === null) return { ...known, scope: undefined }
    const scope = scopeIn(store, user, store.get('projects', claims.projectId))
    return scope === undefined ? undefined : { ...known, scope }
  }

  #credentialOf(id: string, claims: TokenClaims) {
    const credential = this.#options.store.get('applicationCredentials', id)
    if (credential === undefined) return undefined
    const isSame = secretStampOf(credential.secretHash) === claims.secretStamp
    return isSame ? credential : undefined
  }

  #administratorSession(token: string): Session | undefined {
    const principal = this.#options.administrator.findByToken(token)
    if (principal === undefined) return undefined
    const nowMillis = this.#options.clock.nowMillis()
    const claims: TokenClaims = {
      userId: principal.user.id,
      projectId: principal.scope?.project.id ?? null,
      methods: ['token'],
      issuedAtMillis: nowMillis,
      expiresAtMillis: nowMillis + tokenLifetimeMillis,
      auditId: adminTokenAuditId,
      parentAuditId: null,
      credentialId: null,
      secretStamp: '',
    }
    return { ...principal, claims }
  }
}

/** The secret behind a login with a password: a token ends when the password or the second factor changes. */
function secretOf({ passwordHash, secondFactor }: User): string {
  return passwordHash + (secondFactor?.secret ?? '')
}
