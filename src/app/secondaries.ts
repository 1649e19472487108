import type { Bulk } from '../bulk/bulk.ts'
import type { Logger } from '../log.ts'
import type { SecondaryEvent } from '../service/secondaries/master-refresh.ts'
import { NotifyReceiver } from '../service/secondaries/notify-receiver.ts'
import { Secondaries } from '../service/secondaries/secondaries.ts'
import type { OnNotify } from '../transport/answer.ts'
import { TransferCounts } from './metrics.ts'
import type { CommonParts } from './options.ts'
import type { Outbound } from './outbound.ts'

// The composition root's part for SECONDARY zones, which follow their masters.

/** Opens the refreshing of SECONDARY zones, with its results logged and counted. */
export function openSecondaries({
  cluster,
  logger,
  outbound,
  ...parts
}: Pick<CommonParts, 'store' | 'clock' | 'cluster' | 'logger'> & {
  readonly bulk: Bulk
  readonly outbound: Outbound
}): { readonly secondaries: Secondaries; readonly transfers: TransferCounts } {
  const transfers = new TransferCounts()
  const secondaries = new Secondaries({
    ...parts,
    cluster,
    client: outbound.transferClient,
    random: Math.random,
    onEvent: event => {
      transfers.note(event)
      logSecondaryEvent(logger, event)
    },
  })
  cluster.handleTransfers((zoneId, reason) => void secondaries.refreshNow(zoneId, reason))
  return { secondaries, transfers }
}

/** Passes on NOTIFY of masters of SECONDARY zones. Others are ignored. */
export function notifyHandler({
  logger,
  outbound,
  ...parts
}: Pick<CommonParts, 'store' | 'logger'> & {
  readonly outbound: Outbound
  readonly secondaries: Secondaries
}): OnNotify {
  const receiver = new NotifyReceiver({ ...parts, hosts: outbound.hosts })
  return async ({ zone, address: peer, keyId }) => {
    const isHeeded = await receiver.notified(zone, peer, keyId)
    if (!isHeeded) logger.debug({ zone, peer }, 'a NOTIFY from no master of the zone')
  }
}

function logSecondaryEvent(logger: Logger, event: SecondaryEvent): void {
  if (event.kind === 'transferred') logger.info(event, 'zone transferred')
  else if (event.kind === 'failed') logFailure(logger, event)
  else if (event.kind === 'expired') logger.error(event, 'zone expired')
  else logger.error({ zone: event.zone, err: event.error }, 'a zone could not be refreshed')
}

/** A master that is gone for a day is one line, not one for each attempt; the zone shows how its last attempt failed. */
function logFailure(
  logger: Logger,
  { isRepeated, ...event }: SecondaryEvent & { readonly kind: 'failed' },
): void {
  logger[isRepeated ? 'debug' : 'warn'](event, 'zone transfer failed')
}
