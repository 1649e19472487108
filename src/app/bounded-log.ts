import { clientOf } from '../client-of.ts'
import type { CommonParts } from './options.ts'

/** Lines per minute: enough to see who tries what, while a flood of attempts does not fill the disk. */
const maxLinesPerMinute = 30
/** Of one client, which must not keep what others try out of the log. */
const maxLinesOfClient = 10
const minuteMillis = 60_000
/** Of a text that a client sent. */
const maxCharacters = 255

/** Logs what strangers can cause at will. */
export class BoundedLog {
  readonly #parts: Pick<CommonParts, 'clock' | 'logger'>
  readonly #message: string
  #minute = 0
  #lineCount = 0
  readonly #linesByClient = new Map<string, number>()
  #unloggedCount = 0

  constructor(parts: Pick<CommonParts, 'clock' | 'logger'>, message: string) {
    this.#parts = parts
    this.#message = message
  }

  /** Logs a warning, or counts it for the next line that is written.
   *  @param address of the client */
  note(address: string, facts: Readonly<Record<string, string | undefined>>): void {
    const { clock, logger } = this.#parts
    const minute = Math.floor(clock.nowMillis() / minuteMillis)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#lineCount = 0
      this.#linesByClient.clear()
    }
    const client = clientOf(address)
    const ofClient = this.#linesByClient.get(client) ?? 0
    if (this.#lineCount >= maxLinesPerMinute || ofClient >= maxLinesOfClient) {
      this.#unloggedCount += 1
      return
    }
    this.#lineCount += 1
    this.#linesByClient.set(client, ofClient + 1)
    const more = this.#unloggedCount > 0 && { unloggedCount: this.#unloggedCount }
    this.#unloggedCount = 0
    const texts = Object.entries(facts).map(([name, text]) => [name, text?.slice(0, maxCharacters)])
    logger.warn({ ...Object.fromEntries(texts), ...more }, this.#message)
  }
}
