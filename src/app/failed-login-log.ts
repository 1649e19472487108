import type { Clock } from '../clock.ts'
import type { FailedLogin } from '../identity/logins.ts'
import type { Logger } from '../log.ts'
import type { CommonParts } from './options.ts'

/** Lines per minute: enough to see who guesses at what, while a flood of guesses does not fill the disk. */
const maxLinesPerMinute = 30
const minuteMillis = 60_000

/** Logs failed logins with account, reason and address. */
export class FailedLoginLog {
  readonly #clock: Clock
  readonly #logger: Logger
  #minute = 0
  #lineCount = 0
  #unloggedCount = 0

  constructor({ clock, logger }: Pick<CommonParts, 'clock' | 'logger'>) {
    this.#clock = clock
    this.#logger = logger
  }

  /** Logs a failure, or counts it for the next line that is written. */
  note({ account, peer, reason }: FailedLogin): void {
    const minute = Math.floor(this.#clock.nowMillis() / minuteMillis)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#lineCount = 0
    }
    if (this.#lineCount >= maxLinesPerMinute) {
      this.#unloggedCount += 1
      return
    }
    this.#lineCount += 1
    const more = this.#unloggedCount > 0 && { unloggedCount: this.#unloggedCount }
    this.#unloggedCount = 0
    this.#logger.warn({ account: account.slice(0, 255), peer, reason, ...more }, 'login failed')
  }
}
