import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { ScryptCost } from '../identity/passwords.ts'
import type { Logger } from '../log.ts'

/** What a server is started with. */
export type AppOptions = {
  readonly config: Config
  readonly clock: Clock
  readonly logger: Logger
  /** What a stored password costs to check; the standard where not given. */
  readonly passwordCost?: ScryptCost
}
