import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Logger } from '../log.ts'

/** What a server is started with. */
export type AppOptions = {
  readonly config: Config
  readonly clock: Clock
  readonly logger: Logger
}
