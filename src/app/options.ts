import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { ScryptCost } from '../identity/passwords.ts'
import type { Logger } from '../log.ts'

/** The options of a server's start. */
export type AppOptions = {
  readonly config: Config
  readonly clock: Clock
  readonly logger: Logger
  /** The cost of checking a stored password; the standard if not given. */
  readonly passwordCost?: ScryptCost
  /** How far the clock may be off that of PostgreSQL, for tests that turn it; by default, a minute. */
  readonly maxClockOffSeconds?: number
}
