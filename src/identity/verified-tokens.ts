import { LruMap } from './lru-map.ts'
import { decodeToken, type TokenClaims } from './tokens.ts'

/** About 5 MB when full. */
const maxVerified = 10_000

/** Reads tokens, and remembers those whose signature fits: what they claim never changes. Whether the claims
 *  still hold is asked anew at each use, so nothing that was taken away is served from here. */
export class VerifiedTokens {
  readonly #key: Buffer
  readonly #claimsByToken = new LruMap<string, TokenClaims>(maxVerified)

  constructor(signingKey: Buffer) {
    this.#key = signingKey
  }

  /** The claims of a token; undefined when it is not ours. Says nothing of its expiry. */
  claimsOf(token: string): TokenClaims | undefined {
    const known = this.#claimsByToken.get(token)
    if (known !== undefined) return known
    const claims = decodeToken(token, this.#key)
    // Only our own are kept, so that nobody can fill the room with made-up ones.
    if (claims !== undefined) this.#claimsByToken.set(token, claims)
    return claims
  }
}
