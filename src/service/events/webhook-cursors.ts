import { createHash } from 'node:crypto'
import { everything } from '../../store/indexes.ts'
import type { Store } from '../../store/store.ts'
import { cursorText, endOfCommit } from './event-cursor.ts'

export type WebhookCursorsOptions = {
  readonly store: Store
  /** Called when cursors could not be kept; the next time makes up for it. */
  readonly onFailed: (error: unknown) => void
}

/** After so long what has been sent is kept: a crash repeats no more than that. */
const keepAfterMs = 250

/** How far events were sent to each receiver of webhooks, so that a start goes on there. */
export class WebhookCursors {
  readonly #store: Store
  readonly #onFailed: (error: unknown) => void
  /** Event ids by row id that are not kept yet. */
  readonly #noted = new Map<string, string>()
  #timer: NodeJS.Timeout | undefined

  constructor({ store, onFailed }: WebhookCursorsOptions) {
    this.#store = store
    this.#onFailed = onFailed
  }

  /** Receivers that are new begin now. Those that are gone are forgotten: if they come back, they begin anew. */
  async open(urls: readonly string[]): Promise<void> {
    const ids = new Set(urls.map(idOf))
    await this.#store.commit(tx => {
      for (const { id } of [...tx.list('webhookPlaces', 'all', everything)])
        if (!ids.has(id)) tx.delete('webhookPlaces', id)
      const stamp = { version: 1, createdAt: tx.atMicros, updatedAt: null }
      const eventId = cursorText(endOfCommit(this.#store.lastLsn))
      for (const id of ids)
        if (tx.get('webhookPlaces', id) === undefined)
          tx.put('webhookPlaces', { ...stamp, id, eventId })
    })
  }

  /** The id of the event that was sent to the receiver last. */
  cursorOf(url: string): string | undefined {
    return this.#store.get('webhookPlaces', idOf(url))?.eventId
  }

  /** Notes that there has been nothing to tell up to an event; that alone is not worth a write. */
  pass(url: string, eventId: string): void {
    this.#noted.set(idOf(url), eventId)
  }

  /** Notes that an event was sent to a receiver, to be kept soon. */
  note(url: string, eventId: string): void {
    this.pass(url, eventId)
    this.#timer ??= setTimeout(() => void this.keep(), keepAfterMs).unref()
  }

  /** Keeps what has been noted. Never rejects. */
  async keep(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const noted = [...this.#noted]
    this.#noted.clear()
    if (noted.length === 0) return
    try {
      await this.#store.commit(tx => {
        for (const [id, eventId] of noted) {
          const row = tx.get('webhookPlaces', id)
          if (row === undefined) continue
          const marks = { version: row.version + 1, updatedAt: tx.atMicros }
          tx.put('webhookPlaces', { ...row, ...marks, eventId })
        }
      })
    } catch (error) {
      this.#onFailed(error)
    }
  }
}

function idOf(url: string): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 32)
}
