import { createHash } from 'node:crypto'
import { alone, type Cluster } from '../cluster/cluster.ts'
import type { Config } from '../config/config.ts'
import { formatHostPort } from '../host-port.ts'
import { version } from '../version.ts'
import type { AppOptions, CommonParts } from './options.ts'

// The composition root's part for other nodes over the same store.

/** Joins the nodes that share the store, if there are any. */
export async function openCluster(
  { config, clock, logger, maxClockOffSeconds, store }: AppOptions & Pick<CommonParts, 'store'>,
  opened: AsyncDisposableStack,
): Promise<Cluster> {
  const { shared } = store
  if (shared === undefined) return alone
  const { SharedCluster } = await import('../store/shared/shared-cluster.ts')
  const nowhere = { lsn: 0, link: Buffer.alloc(0) }
  const own = { version, settings: commonSettingsOf(config) }
  const cluster = new SharedCluster({
    ...{ engine: shared.engine, clock, maxClockOffSeconds },
    url: config.cluster?.nodeUrl ?? `http://${formatHostPort(config.apiListen)}`,
    refusal: () => shared.refusal(),
    isHeldUp: () => store.readOnlyReason !== undefined,
    own: () => ({
      ...own,
      ...(shared.position() ?? nowhere),
      isCopyBehind: shared.isCopyBehind(),
    }),
    onProblem: err => logger.debug({ err }, 'this node takes no part at present'),
    onMisfit: problem => logger.warn(problem),
  })
  cluster.duty.whenHeld(lost => {
    const { epoch } = cluster.duty
    logger.info({ epoch }, 'this node has the duty')
    lost.addEventListener('abort', () => logger.info({ epoch }, 'this node has not the duty'))
  })
  opened.defer(() => cluster.close())
  cluster.start()
  return cluster
}

/** A digest, without secrets, of the settings that should be the same at all nodes. */
function commonSettingsOf(config: Config): string {
  const { nameServers, minTtlSeconds, webhookUrls, extensionsV1, outboundNetworks } = config
  const { aliasResolvers, currency, currencyPlaces, usageKeepMonths, keystone, openid } = config
  const common = [
    ...[nameServers, minTtlSeconds, webhookUrls, extensionsV1, outboundNetworks, aliasResolvers],
    ...[currency, currencyPlaces, usageKeepMonths, keystone?.url, openid?.issuer],
  ]
  return createHash('sha256').update(JSON.stringify(common)).digest('hex').slice(0, 16)
}
