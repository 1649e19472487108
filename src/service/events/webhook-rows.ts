import { randomBytes } from 'node:crypto'
import { ApiError, type FieldError } from '../../errors.ts'
import { type Caller, reachesProject } from '../../identity/caller.ts'
import { requireValid } from '../../model/field-rules.ts'
import type { OutboundAddresses } from '../../model/outbound-address.ts'
import {
  maxProjectWebhooks,
  type ProjectWebhook,
  type WebhookDraft,
} from '../../model/project-webhook.ts'
import { quote } from '../../model/quote.ts'
import { changedRow, newStamp } from '../../model/stamped.ts'
import { everything } from '../../store/indexes.ts'
import type { Store, StoreReader } from '../../store/store.ts'
import type { ProjectWebhooks } from './project-webhooks.ts'
import type { Attempt } from './webhook.ts'
import { projectsCursorId, putNewCursor } from './webhook-cursors.ts'

type WebhookRowsOptions = {
  readonly store: Store
  /** The current sender of events to them. */
  readonly sending: () => ProjectWebhooks
  /** The addresses that webhooks may have. */
  readonly addresses: OutboundAddresses
}

/** The webhooks that projects have set up for their events. */
export class WebhookRows {
  readonly #options: WebhookRowsOptions

  constructor(options: WebhookRowsOptions) {
    this.#options = options
  }

  list(caller: Caller): readonly ProjectWebhook[] {
    return caller.hasAllProjects
      ? [...this.#options.store.list('webhooks', 'all', everything)]
      : [...this.#options.store.list('webhooks', 'byProject', caller.projectId)]
  }

  /** @throws ApiError not_found */
  get(caller: Caller, id: string): ProjectWebhook {
    return getWebhook(this.#options.store, caller, id)
  }

  /** Creates a webhook; without a secret it gets one.
   *  @throws ApiError invalid_object the address may not be posted to; over_quota the project has as many as it may */
  async create(
    caller: Caller,
    { secret = newSecret(), ...draft }: Omit<WebhookDraft, 'secret'> & { readonly secret?: string },
  ): Promise<ProjectWebhook> {
    this.#requireReachable(draft.url)
    return this.#options.store.commit(tx => {
      const { projectId } = caller
      if (tx.count('webhooks', 'byProject', projectId) >= maxProjectWebhooks)
        throw new ApiError('over_quota', `A project has ${maxProjectWebhooks} webhooks at most`)
      const row = tx.put('webhooks', { ...newStamp(tx), projectId, ...draft, secret })
      // A crash before the first event has been handed over must not lose it.
      putNewCursor(tx, projectsCursorId, this.#options.store.lastLsn)
      return row
    })
  }

  /** @throws ApiError not_found, invalid_object */
  async update(
    caller: Caller,
    id: string,
    changes: Partial<WebhookDraft>,
  ): Promise<ProjectWebhook> {
    if (changes.url !== undefined) this.#requireReachable(changes.url)
    return this.#options.store.commit(tx =>
      tx.put('webhooks', changedRow<ProjectWebhook>(tx, getWebhook(tx, caller, id), changes)),
    )
  }

  /** @throws ApiError not_found */
  async delete(caller: Caller, id: string): Promise<void> {
    await this.#options.store.commit(tx => tx.delete('webhooks', getWebhook(tx, caller, id).id))
  }

  /** The attempts of this node since it has the duty, newest first.
   *  @throws ApiError not_found */
  deliveries(caller: Caller, id: string): readonly Attempt[] {
    return this.#options.sending().attemptsOf(this.get(caller, id).id)
  }

  /** @throws ApiError not_found */
  sendAgain(caller: Caller, id: string, eventId: string): Promise<Attempt> {
    return this.#options.sending().sendAgain(this.get(caller, id), eventId)
  }

  #requireReachable(url: string): void {
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
    const error: FieldError | undefined =
      this.#options.addresses.problemOfHost('project', host) === undefined
        ? undefined
        : {
            path: ['url'],
            message: `${quote(url)} is not a public address: an administrator can allow its network`,
            validator: 'not',
          }
    requireValid('webhook', [error])
  }
}

function getWebhook(reader: StoreReader, caller: Caller, id: string): ProjectWebhook {
  const row = reader.get('webhooks', id)
  if (row !== undefined && reachesProject(caller, row.projectId)) return row
  throw new ApiError('not_found', 'Could not find Webhook')
}

function newSecret(): string {
  return randomBytes(32).toString('base64url')
}
