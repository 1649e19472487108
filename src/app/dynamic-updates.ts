import { DynamicUpdates } from '../service/changes/dynamic-updates.ts'
import type { OnHanded } from '../transport/answer.ts'
import { hmac } from '../transport/hmac.ts'
import { BoundedLog } from './bounded-log.ts'
import type { CommonParts } from './options.ts'

/** Opens the handler of UPDATEs that the listeners pass on. */
export function openUpdates({
  store,
  logger,
  clock,
  config: { minTtlSeconds },
}: Pick<CommonParts, 'store' | 'logger' | 'clock' | 'config'>): OnHanded {
  const refusals = new BoundedLog({ clock, logger }, 'update refused')
  const updates = new DynamicUpdates({
    store,
    hmac,
    minTtlSeconds,
    nowSeconds: () => Math.floor(clock.nowMillis() / 1000),
    onRefused: refusal => refusals.note(refusal.address, refusal),
    onFailed: (zone, err) => logger.error({ zone, err }, 'an update failed'),
  })
  return (update, respond) => updates.handle(update, respond)
}
