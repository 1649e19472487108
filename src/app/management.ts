import { hostname } from 'node:os'
import type { Bulk } from '../bulk/bulk.ts'
import type { OnDemandKeys } from '../dnssec/on-demand.ts'
import type { KeySealing } from '../dnssec/sealed-key.ts'
import { hasPlaceholder, nsRecordsInOrder } from '../model/pool.ts'
import type { Publisher, PublisherOptions } from '../publish/publisher.ts'
import { Consistency } from '../service/consistency/consistency.ts'
import type { Pools } from '../service/pools/pools.ts'
import { raiseAboveLost } from '../service/rules/zone-rows.ts'
import type { Secondaries } from '../service/secondaries/secondaries.ts'
import { type Commit, isRefusedForNow } from '../store/store.ts'
import type { ListenAddress, OnHanded, OnNotify } from '../transport/answer.ts'
import type { Listeners } from '../transport/listeners.ts'
import type { PoolServers } from '../transport/pool-servers.ts'
import { openAccess } from './access.ts'
import { openAliases } from './aliases.ts'
import { type ServedApi, serveApi } from './api.ts'
import type { AwaitedZoneNames } from './awaited-zones.ts'
import { openBackups } from './backup.ts'
import { Catalogs } from './catalogs.ts'
import { openUpdates } from './dynamic-updates.ts'
import { openEvents } from './events.ts'
import { startJobs } from './jobs.ts'
import { openMetering } from './metering.ts'
import type { AppOptions, CommonParts } from './options.ts'
import { type Outbound, openOutbound } from './outbound.ts'
import { type openTap, watchAnswers } from './query-tap.ts'
import { openRating } from './rating.ts'
import { notifyHandler, openSecondaries } from './secondaries.ts'
import type { OpenTable } from './served-table.ts'
import { openExternalTargets, partsOf, type TlsParts } from './servers.ts'
import { openServices, type ServiceParts, type Services } from './services.ts'
import type { OutgoingZones } from './transfers.ts'
import type { TsigKeyRing } from './tsig-key-ring.ts'
import type { WhenWritable } from './when-writable.ts'

// The composition root's part for changing and showing zones. It is loaded once zones are answered: it needs half of all
// modules.

/** The parts opened for answering. */
export type Serving = CommonParts &
  OpenTable & {
    readonly bulk: Bulk
    readonly sealing: KeySealing
    readonly servers: PoolServers
    readonly targetsOf: PublisherOptions['targetsOf']
    readonly keys: TsigKeyRing
    readonly onDemandKeys: OnDemandKeys
    readonly awaited: AwaitedZoneNames
    readonly outgoing: OutgoingZones
    readonly tap: ReturnType<typeof openTap>
  }

/** Called with each commit that is served. */
export type Followers = ((commit: Commit) => void)[]

/** The answering parts. */
export type Answered = {
  readonly dns: Listeners
  readonly publisher: Publisher
  readonly followers: Followers
}

/** The facts of a server once all of it is open. */
export type Managed = ServedApi & {
  readonly dns: readonly ListenAddress[]
  /** Addresses of DNS over TLS; empty if not set. */
  readonly dnsTls: readonly ListenAddress[]
  /** Addresses of DNS over HTTPS. */
  readonly dnsHttps: readonly ListenAddress[]
  /** The administrator's password, where one was generated at this start; to be shown once. */
  readonly generatedPassword: string | undefined
  /** Runs a job at once, for a caller that moves the clock. */
  runJob(name: string): Promise<void>
}

/** Opens the parts that change and show the answered zones.
 *  @throws ListenError and any other error that stops a start */
export async function manage(
  serving: Serving &
    Answered & {
      readonly tls: TlsParts | undefined
      readonly takeNotifies: (handler: OnNotify) => void
      readonly takeUpdates: (handler: OnHanded) => void
    },
  opened: AsyncDisposableStack,
): Promise<Managed> {
  const { config, logger, store, table, servers, targetsOf, dns, publisher, followers } = serving
  const { identity, generatedPassword, postponed } = await openAccess(serving)
  const rating = await openRating(serving)
  opened.defer(() => rating.close())

  const outbound = openOutbound(config, serving.tls?.files)
  const events = openEvents({ config, logger, store, outbound })
  const { secondaries, transfers } = openSecondaries({ ...serving, outbound })
  const externalTargets = openExternalTargets({ ...serving, outbound })
  const catalogs = new Catalogs({ logger })
  const aliases = openAliases(serving)
  const metering = await openMetering({ ...serving, rating })
  followers.push(
    commit => externalTargets.commitPublished(commit),
    commit => catalogs.commitPublished(commit),
    commit => aliases.commitPublished(commit),
    commit => metering.commitPublished(commit),
    commit => events.publish(commit),
  )
  opened.defer(() => metering.close())

  opened.defer(() => dns.close())
  const snapshots = serving.begin({ publisher, servers })
  opened.defer(() => snapshots.close())
  opened.defer(() => servers.close())
  // Answers come from the table; changes of zones need the rest of the store.
  await store.finishOpening()
  await publisher.settle()
  serving.takeNotifies(notifyHandler({ store, secondaries, logger, outbound }))
  serving.takeUpdates(openUpdates(serving))

  const consistency = openConsistency({ store, table, targetsOf, servers, publisher })
  const usage = [rating.points, metering]
  const serviceParts = () => partsOf({ ...serving, scheduler, usage })
  const others = { externalTargets, catalogs, aliases, secondaries, outbound }
  const watched = watchAnswers(serving, opened)
  const parts = { ...serving, ...others, ...watched }
  const services = await manageZones({ ...parts, serviceParts, postponed }, opened)
  followers.push(commit => services.dnssec.commitPublished(commit))
  const durable = [store, ...usage]
  const { backups, scheduledBackups } = openBackups(serving, durable)
  const managed = { services, identity, rating, postponed }
  const scheduler = startJobs({ ...parts, ...managed, metering, scheduledBackups, snapshots })
  rating.reprocesses.onScheduled = () => void scheduler.run('rate-usage')
  opened.defer(async () => {
    await Promise.all([scheduler.stop({ timeoutMs: 2_000 }), metering.stop()])
  })

  const { lostQueries } = watched
  const failingJobs = () => scheduler.faults.keys()
  const measured = { readers: table.readers, durable, transfers, lostQueries, failingJobs }
  const asked = { ...serving, ...others, ...managed, ...measured, consistency, events, backups }
  const servedApi = await serveApi(asked, opened)
  return {
    ...servedApi,
    dns: dns.addresses,
    dnsTls: dns.tlsAddresses,
    dnsHttps: dns.httpsAddresses,
    // With an external Keystone it cannot be used to log in.
    generatedPassword: config.keystone === undefined ? generatedPassword : undefined,
    runJob: name => scheduler.run(name),
  }
}

/** Opens the services, and starts their background work. */
async function manageZones(
  parts: Parameters<typeof loggedServices>[0] & {
    readonly postponed: WhenWritable
    readonly catalogs: Catalogs
  },
  opened: AsyncDisposableStack,
): Promise<Services> {
  const { config, logger, cluster, postponed } = parts
  const { externalTargets, catalogs, secondaries, bulk } = parts
  const services = loggedServices(parts)
  await postponed.attempt(() => configurePool({ config, logger, pools: services.pools }))
  parts.store.shared?.whenLost(({ commits, settle }) => {
    void postponed
      .attempt(async () => {
        await parts.store.commit(tx => raiseAboveLost(tx, commits))
        await settle()
      })
      .catch(err => logger.error({ err }, 'serials of lost changes are not raised'))
  })
  const isLeft = (node: string | undefined) => node === cluster.node || cluster.isGone(node)
  await postponed.attempt(() => services.zoneImports.recover(isLeft))
  // Signing ends before its threads do, which would be errors.
  const { signed } = parts.publisher
  opened.defer(() => closeTogether([signed, services.zoneImports, catalogs, secondaries, bulk]))
  opened.defer(() => closeTogether([externalTargets, parts.aliases]))
  if (!cluster.duty.isHeld) void externalTargets.start()
  cluster.duty.whenHeld(lost => {
    void externalTargets.start()
    catalogs.follow({ ...parts, zones: services.zones }, lost)
  })
  return services
}

/** The services, with failures of their background work in the log. */
function loggedServices(
  parts: ServiceParts &
    Pick<AppOptions, 'config' | 'logger'> & {
      readonly secondaries: Secondaries
      readonly outbound: Outbound
    },
): Services {
  const { config, logger, secondaries, outbound } = parts
  return openServices({
    ...parts,
    ...outbound,
    minTtlSeconds: config.minTtlSeconds,
    knowsProjects: config.keystone === undefined,
    hostname: hostname(),
    onTransferWanted: ({ id }, reason) => void secondaries.refreshNow(id, reason),
    onRemovalFailed: (zone, error) =>
      logger.error({ zone: zone.name, err: error }, 'a zone could not be removed yet'),
    onRewriteFailed: (pool, error) =>
      logger.error({ pool: pool.name, err: error }, 'name servers are not in all zones yet'),
    onSigningFailed: (zoneId, error) =>
      logger.error({ err: error, zone: zoneId }, 'a zone is not signed yet'),
    onImportFailed: ({ id }, error) =>
      logger.error({ err: error, import: id }, 'a zone import failed'),
  })
}

/** The check of all stored and answered zones. */
function openConsistency({
  servers,
  publisher,
  ...parts
}: Pick<ConstructorParameters<typeof Consistency>[0], 'store' | 'table' | 'targetsOf'> & {
  readonly servers: PoolServers
  readonly publisher: Publisher
}): Consistency {
  const isMoving = (poolId: string) => servers.isMoving(poolId)
  const isPublishing = (zoneId: string) => publisher.isPublishing(zoneId)
  const compareShared = parts.store.shared?.compare
  return new Consistency({ ...parts, isMoving, isPublishing, compareShared })
}

/** Starts with the first, so that each already knows that it is closing when its requests to a later one fail. */
async function closeTogether(all: readonly { close(): Promise<void> }[]): Promise<void> {
  await Promise.all(all.map(each => each.close()))
}

/** Gives the default pool the name servers of the settings. If that fails, the stored ones are served. */
async function configurePool({
  config,
  logger,
  pools,
}: Pick<AppOptions, 'config' | 'logger'> & { readonly pools: Pools }): Promise<void> {
  try {
    const pool = await pools.configure(config.nameServers)
    const nameServers = nsRecordsInOrder(pool).map(({ hostname }) => hostname)
    if (hasPlaceholder(pool)) {
      const advice = 'set ZONEWRIGHT_NAMESERVERS before a domain is delegated to this server'
      logger.warn({ nameServers }, `the name servers of new zones are a placeholder: ${advice}`)
    } else if (config.nameServers.length > 0 && config.nameServers.join() !== nameServers.join()) {
      const text = 'the default pool keeps the name servers it was given through the API'
      logger.info({ nameServers, ZONEWRIGHT_NAMESERVERS: config.nameServers }, text)
    }
  } catch (error) {
    // If the store takes no changes yet, this is done later.
    if (isRefusedForNow(error)) throw error
    logger.error({ err: error }, 'the name servers of the settings could not be applied')
  }
}
