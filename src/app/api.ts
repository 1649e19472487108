import { join } from 'node:path'
import { adminMounts, maintenanceMount } from '../api/admin/mount.ts'
import { eventRoutes } from '../api/dns/events.ts'
import { dnsMounts } from '../api/dns/mounts.ts'
import { webhookRoutes } from '../api/dns/webhooks.ts'
import { dnsV1Mounts } from '../api/dns-v1/mounts.ts'
import { identityMount } from '../api/identity/mount.ts'
import { metricsMount, metricsRoute } from '../api/metrics.ts'
import type { RatedAt } from '../api/middleware/pass-on.ts'
import { documentRoutes } from '../api/openapi/routes.ts'
import { powerDnsMounts } from '../api/powerdns/mount.ts'
import { ratingMounts } from '../api/rating/mounts.ts'
import { rootMount } from '../api/root.ts'
import type { Mount } from '../api/route-table.ts'
import { type Api, createApi } from '../api/server.ts'
import { plainVersions } from '../api/versions.ts'
import type { Backups } from '../backup/backups.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { readOnlyReasonOf } from '../durable/writability.ts'
import { formatHostPort } from '../host-port.ts'
import type { Authenticator } from '../identity/authenticator.ts'
import type { Identity } from '../identity/identity.ts'
import type { CircuitChange } from '../identity/keystone/circuit-breaker.ts'
import { KeystoneAuthenticator } from '../identity/keystone/keystone-authenticator.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { TermPoints } from '../rating/segments/term-points.ts'
import type { Consistency } from '../service/consistency/consistency.ts'
import type { ListenAddress } from '../transport/answer.ts'
import { ListenError } from '../transport/listen-error.ts'
import { version } from '../version.ts'
import type { Events } from './events.ts'
import { type MetricsParts, openMetrics, statisticsOf } from './metrics.ts'
import type { CommonParts } from './options.ts'
import type { Rating } from './rating.ts'
import type { WhenWritable } from './when-writable.ts'

// The composition root's part for HTTP: the mounts, the authentication of requests, and the addresses.

/** The folder where `npm run build` and `npm start` put the pages of the console: beside the compiled server, in dist. */
const consoleFolder = join(import.meta.dirname, '..', '..', 'dist', 'console')

/** The parts of the API. */
type ApiParts = MetricsParts &
  CommonParts & {
    readonly identity: Identity
    readonly consistency: Consistency
    readonly backups: Backups
    readonly rating: Rating
    readonly events: Events
    readonly postponed: WhenWritable
  }

/** An API that is served. */
export type ServedApi = {
  readonly api: ListenAddress
  /** The separate address of metrics, if there is one. */
  readonly metrics: ListenAddress | undefined
  /** All its mounts. */
  readonly mounts: readonly Mount[]
}

/** Opens the API to clients, once all its parts are open.
 *  @throws ListenError */
export async function serveApi(parts: ApiParts, opened: AsyncDisposableStack): Promise<ServedApi> {
  const { config, logger } = parts
  const metrics = openMetrics(parts)
  const mounts = mountsFor(parts, metrics)
  const common = { identity: authenticatorFor(parts), logger }
  const api = createApi({
    ...common,
    mounts,
    caughtUp: parts.store.shared?.caughtUp,
    ratedAt: parts.rating.termPoints && ratedAt(parts.cluster, parts.rating.termPoints),
    publicUrl: config.publicUrl,
    trustedProxies: config.trustedProxies,
    keystoneUrl: config.keystone?.url,
    onAnswered: request => metrics.requestAnswered(request),
    consoleFolder,
  })
  opened.defer(() => api.close({ deadlineMs: 3_000 }))
  // Closed before the API, which waits for its streams to end.
  opened.defer(() => parts.events.close())
  await sendWebhooks(parts)
  const served = { api: await listen(api, config.apiListen, 'http'), mounts }
  if (config.cluster?.nodeUrl === undefined)
    parts.cluster.reachedAt(`http://${formatHostPort(served.api)}`)
  if (config.metrics === undefined) return { ...served, metrics: undefined }
  const { listen: address, token } = config.metrics
  const scraped = createApi({ ...common, mounts: [metricsMount(metrics, token)] })
  opened.defer(() => scraped.close({ deadlineMs: 1_000 }))
  return { ...served, metrics: await listen(scraped, address, 'metrics') }
}

/** Sends to webhooks whenever this node has the duty; resolves once sending has started, if the node has the duty now. */
async function sendWebhooks({
  cluster,
  events,
  postponed,
  logger,
}: Pick<ApiParts, 'cluster' | 'events' | 'postponed' | 'logger'>): Promise<void> {
  let begun: Promise<void> | undefined
  cluster.duty.whenHeld(lost => {
    begun = postponed.attempt(() => events.sendWebhooks(lost))
    begun.catch(err => logger.error({ err }, 'no webhooks are sent'))
  })
  await begun
}

async function listen(
  api: Api,
  address: ListenAddress,
  served: 'http' | 'metrics',
): Promise<ListenAddress> {
  try {
    return await api.listen(address)
  } catch (error) {
    throw new ListenError(address, served, error)
  }
}

/** Usage is at the node with the duty, once it has opened the points. */
function ratedAt(cluster: Cluster, points: TermPoints): RatedAt {
  const { duty, node } = cluster
  return () => {
    if (duty.isHeld) return points.isOpen ? 'here' : undefined
    return cluster.nodes().find(({ hasDuty, name }) => hasDuty && name !== node)
  }
}

/** How far this node may lag behind writes of others before clients should be sent to other nodes. */
const maxStaleSeconds = 10

/** Why clients should be sent to other nodes. */
async function nodeReasons({ shared }: ApiParts['store']): Promise<readonly string[]> {
  const { staleSeconds = 0 } = (await shared?.caughtUp()) ?? {}
  const refusal = shared?.refusal()
  const reasons = refusal === undefined ? [] : [`${refusal}: changes are refused`]
  if (staleSeconds > maxStaleSeconds)
    reasons.push(`PostgreSQL has not answered for ${staleSeconds} s: what is served may be old`)
  return reasons
}

/** Authenticates requests: our own identity service, or the Keystone of the settings. */
function authenticatorFor(parts: ApiParts): Authenticator {
  const { config, clock, logger, identity } = parts
  if (config.keystone === undefined) return identity
  const { administrator } = identity
  const onChange = (change: CircuitChange) => logKeystoneChange(logger, change)
  return new KeystoneAuthenticator({ ...config.keystone, clock, administrator, onChange })
}

function logKeystoneChange(logger: Logger, change: CircuitChange): void {
  if (change.kind === 'opened') logger.error({ err: change.cause }, 'Keystone does not answer')
  else logger.info('Keystone answers again')
}

/** All mounts of the API. */
function mountsFor(parts: ApiParts, metrics: Metrics): readonly Mount[] {
  const { config, durable, identity, services, consistency, backups, rating, events } = parts
  const mounts: readonly Mount[] = [
    ...dnsMounts(services, [...eventRoutes(events.log), ...webhookRoutes(events.webhookRows)]),
    ...dnsV1Mounts(services, { extensions: config.extensionsV1 }),
    ...powerDnsMounts(services, { version, statistics: statisticsOf(parts) }),
    ...ratingMounts(rating),
    ...(config.hasAdminApi
      ? adminMounts({ ...services, consistency, backups })
      : [maintenanceMount({ consistency, backups })]),
    // With logins at an external Keystone there must be no second way in.
    ...(config.keystone === undefined ? [identityMount(identity)] : []),
    // It listens only once everything else is ready, except the writes of other nodes.
    rootMount({
      versions: plainVersions,
      readiness: () => nodeReasons(parts.store),
      readOnlyReason: () => readOnlyReasonOf(durable),
      nearestExpiration: () => services.dnssec.nearestExpiration,
      others: [
        ...documentRoutes(() => mounts, { version }),
        ...(config.metrics === undefined ? [metricsRoute(metrics)] : []),
      ],
    }),
  ]
  return mounts
}
