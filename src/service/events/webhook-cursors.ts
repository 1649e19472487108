import { createHash } from 'node:crypto'
import { changedRow, newStamp } from '../../model/stamped.ts'
import { everything } from '../../store/indexes.ts'
import type { Store, Transaction } from '../../store/store.ts'
import { cursorText, endOfCommit } from './event-cursor.ts'

export type WebhookCursorsOptions = {
  readonly store: Store
  /** Aborts when another node may have begun to send: what it stores is not to be replaced by what was sent here before. */
  readonly lost?: AbortSignal
  /** Called when cursors could not be stored; the next write makes up for it. */
  readonly onFailed: (error: unknown) => void
}

/** The delay before the cursors of sent events are stored: a crash repeats no more than that. */
const keepAfterMs = 250

/** The last event sent to each receiver of webhooks, so that a restart continues there. */
export class WebhookCursors {
  readonly #options: WebhookCursorsOptions
  /** Event ids by row id that are not stored yet; undefined: the row is to be deleted. */
  readonly #noted = new Map<string, string | undefined>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: WebhookCursorsOptions) {
    this.#options = options
  }

  /** New receivers begin now. Receivers that are gone are forgotten: if they come back, they are new. */
  async open(all: readonly string[]): Promise<void> {
    const ids = new Set(all)
    await this.dropOthers(ids, id => !isOfProjects(id))
    await this.#options.store.commit(tx => {
      for (const id of ids) putNewCursor(tx, id, this.#options.store.lastLsn)
    })
  }

  /** Forgets all of the caller's own rows except these. */
  async dropOthers(ids: ReadonlySet<string>, isOwn: (id: string) => boolean): Promise<void> {
    await this.#options.store.commit(tx => {
      for (const { id } of [...tx.list('webhookPlaces', 'all', everything)])
        if (isOwn(id) && !ids.has(id)) tx.delete('webhookPlaces', id)
    })
  }

  /** The id of the event that was sent to the receiver last. */
  cursorOf(id: string): string | undefined {
    if (this.#noted.has(id)) return this.#noted.get(id)
    return this.#options.store.get('webhookPlaces', id)?.eventId
  }

  /** Notes that there was nothing to send up to an event; this alone does not cause a write. */
  pass(id: string, eventId: string): void {
    this.#noted.set(id, eventId)
  }

  /** Notes that a receiver has been sent all events, and continues with the shared cursor. */
  forget(id: string): void {
    this.#noted.set(id, undefined)
  }

  /** Notes that an event was sent to a receiver; stored soon after. */
  note(id: string, eventId: string): void {
    this.pass(id, eventId)
    this.#timer ??= setTimeout(() => void this.keep(), keepAfterMs).unref()
  }

  /** Stores what has been noted. Never rejects. */
  async keep(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const noted = [...this.#noted]
    this.#noted.clear()
    if (noted.length === 0) return
    try {
      await this.#options.store.commit(tx => {
        if (this.#options.lost?.aborted) return
        for (const [id, eventId] of noted) {
          const row = tx.get('webhookPlaces', id)
          if (eventId === undefined) tx.delete('webhookPlaces', id)
          else if (row !== undefined) tx.put('webhookPlaces', changedRow(tx, row, { eventId }))
          else tx.put('webhookPlaces', { ...newStamp(tx, id), eventId })
        }
      })
    } catch (error) {
      this.#options.onFailed(error)
    }
  }
}

/** Has a receiver begin after a commit, if it has no cursor yet. */
export function putNewCursor(tx: Transaction, id: string, lsn: number): void {
  if (tx.get('webhookPlaces', id) !== undefined) return
  tx.put('webhookPlaces', { ...newStamp(tx, id), eventId: cursorText(endOfCommit(lsn)) })
}

/** The id of the row for the last event handed to the webhooks of projects. Webhooks that have not sent theirs yet
 *  have rows under their own ids. */
export const projectsCursorId = 'projects'

export function isOfProjects(id: string): boolean {
  return id === projectsCursorId || id.includes('-')
}

/** The row id for an address, as a hash, because the address may hold a secret. */
export function cursorIdOf(url: string): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 32)
}
