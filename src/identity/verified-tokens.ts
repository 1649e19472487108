import { LruMap } from '../lru-map.ts'
import { decodeToken, type TokenClaims } from './tokens.ts'

/** About 5 MB when full. */
const maxVerified = 10_000

/** Reads tokens, and caches those with a valid signature: their claims never change. Whether the claims still hold is checked
 *  at each use, so the cache never restores revoked rights. */
export class VerifiedTokens {
  readonly #key: Buffer
  readonly #claimsByToken = new LruMap<string, TokenClaims>(maxVerified)

  constructor(signingKey: Buffer) {
    this.#key = signingKey
  }

  /** The claims of a token; undefined when it is not ours. Does not check its expiry. */
  claimsOf(token: string): TokenClaims | undefined {
    const known = this.#claimsByToken.get(token)
    if (known !== undefined) return known
    const claims = decodeToken(token, this.#key)
    // Only our own are cached, so that invented tokens cannot fill the cache.
    if (claims !== undefined) this.#claimsByToken.set(token, claims)
    return claims
  }
}
