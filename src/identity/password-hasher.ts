import { Semaphore } from '../semaphore.ts'
import { decoyHash, hashPassword, type ScryptCost, verifyPassword } from './passwords.ts'
import { tooManyRequests } from './too-many-requests.ts'

// scrypt runs in the thread pool that also syncs the log: it gets half of the pool and a bounded queue, of which one network
// and one user get only a part.
const limits = { maxRunning: 2, maxWaiting: 32, maxWaitingPerKey: 8 }

/** Hashes and checks passwords, with bounded concurrency. */
export class PasswordHasher {
  readonly #cost: ScryptCost
  readonly #semaphore = new Semaphore(limits)
  readonly #decoyHash: string

  constructor(cost: ScryptCost) {
    this.#cost = cost
    this.#decoyHash = decoyHash(cost)
  }

  /** @param userId whose secret it is; undefined where only administrators can have it hashed
   *  @throws ApiError too_many_requests */
  async hash(password: string, userId?: string): Promise<string> {
    const key = userId && `user ${userId}`
    return this.#run(key, () => hashPassword(password, this.#cost))
  }

  /** Whether a password from a network matches a stored hash. Without a hash it costs the same and does not match.
   *  @throws ApiError too_many_requests */
  async verify(
    password: string,
    { stored, network }: { readonly stored: string | undefined; readonly network: string },
  ): Promise<boolean> {
    const hash = stored ?? this.#decoyHash
    const isMatch = await this.#run(network, () => verifyPassword(password, hash))
    return isMatch && stored !== undefined
  }

  #run<T>(key: string | undefined, task: () => Promise<T>): Promise<T> {
    if (!this.#semaphore.accepts(key)) throw tooManyRequests('Too many logins at once', 1)
    return this.#semaphore.run(key, task)
  }
}
