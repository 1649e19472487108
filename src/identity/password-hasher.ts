import { randomBytes } from 'node:crypto'
import { hashPassword, type ScryptCost, verifyPassword } from './passwords.ts'
import { Turns } from './turns.ts'

// scrypt runs in the thread pool that also syncs the journal: it may have half of it, and no endless queue.
// Nor may one network have all of that.
const limits = { maxRunning: 2, maxWaiting: 32, maxWaitingPerKey: 8 }

/** Makes and checks stored passwords, never more at a time than the machine can bear. */
export class PasswordHasher {
  readonly #cost: ScryptCost
  readonly #turns = new Turns(limits)
  readonly #decoyHash: Promise<string>

  constructor(cost: ScryptCost) {
    this.#cost = cost
    this.#decoyHash = hashPassword(randomBytes(16).toString('base64'), cost)
  }

  /** @throws ApiError too_many_requests */
  hash(password: string): Promise<string> {
    return this.#turns.run(undefined, () => hashPassword(password, this.#cost))
  }

  /** Whether a password that a network sent fits a stored hash. Where there is none it costs the same and does not.
   *  @throws ApiError too_many_requests */
  async verify(
    password: string,
    { stored, network }: { readonly stored: string | undefined; readonly network: string },
  ): Promise<boolean> {
    const hash = stored ?? (await this.#decoyHash)
    const isMatch = await this.#turns.run(network, () => verifyPassword(password, hash))
    return isMatch && stored !== undefined
  }
}
