import { hostname } from 'node:os'
import { Bulk } from '../bulk/bulk.ts'
import { OnDemandKeys } from '../dnssec/on-demand.ts'
import { KeySealing } from '../dnssec/sealed-key.ts'
import { hasPlaceholder, nsRecordsInOrder } from '../model/pool.ts'
import { Publisher, type PublisherOptions } from '../publish/publisher.ts'
import { ZoneKeys } from '../publish/zone-keys.ts'
import { Consistency } from '../service/consistency/consistency.ts'
import type { Pools } from '../service/pools/pools.ts'
import type { Secondaries } from '../service/secondaries/secondaries.ts'
import { type Commit, StoreReadOnlyError, StoreUnavailableError } from '../store/store.ts'
import type { ListenAddress, OnHanded, OnNotify } from '../transport/answer.ts'
import { CertificateFiles } from '../transport/tls-certificate.ts'
import { openAliases } from './aliases.ts'
import { type ServedApi, serveApi } from './api.ts'
import { AwaitedZoneNames } from './awaited-zones.ts'
import { openBackups } from './backup.ts'
import { Catalogs } from './catalogs.ts'
import { openCluster } from './cluster.ts'
import { openUpdates } from './dynamic-updates.ts'
import { openEvents } from './events.ts'
import { startJobs } from './jobs.ts'
import { openMetering } from './metering.ts'
import type { AppOptions } from './options.ts'
import { type Outbound, openOutbound } from './outbound.ts'
import { openTap, watchAnswers } from './query-tap.ts'
import { openRating } from './rating.ts'
import { notifyHandler, openSecondaries } from './secondaries.ts'
import { type OpenTable, openTable } from './served-table.ts'
import {
  type DnsListeners,
  logCertificate,
  type OwnServers,
  openExternalTargets,
  openListeners,
  openPoolServers,
  partsOf,
  responderSettings,
  type ServedFrom,
  type TlsParts,
} from './servers.ts'
import { openServices, type ServiceOptions, type Services } from './services.ts'
import { openAccess } from './stored.ts'
import { OutgoingZones } from './transfers.ts'
import { TsigKeyRing } from './tsig-key-ring.ts'
import type { WhenWritable } from './when-writable.ts'

// The composition root: only this folder knows which concrete class plays which part. It has no rules of its own.

/** A server that serves. */
export type App = ServedApi & {
  readonly dns: readonly ListenAddress[]
  /** Where DNS is answered over TLS; nowhere where that is not set. */
  readonly dnsTls: readonly ListenAddress[]
  /** Where DNS is answered over HTTPS. */
  readonly dnsHttps: readonly ListenAddress[]
  /** The administrator's password, where one was made up at this start; to be shown once. */
  readonly generatedPassword: string | undefined
  /** Runs a job at once, for whoever turns the clock. */
  runJob(name: string): Promise<void>
  /** Finishes what is in flight and makes everything durable. Idempotent. */
  close(): Promise<void>
}

/** Opens the store, publishes all of it, and then serves DNS and the API.
 *  @throws CertificateError, DamageError, StoreLockedError, ListenError and whatever else stops a start; nothing
 *  is left open then. */
export async function startApp(options: AppOptions): Promise<App> {
  const opened = new AsyncDisposableStack()
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= opened.disposeAsync()
    return closed
  }
  try {
    return { ...(await start(options, opened)), close }
  } catch (error) {
    // What stopped the start says more than what could not be closed after it.
    await close().catch(() => undefined)
    throw error
  }
}

async function start(
  options: AppOptions,
  opened: AsyncDisposableStack,
): Promise<Omit<App, 'close'>> {
  const { config, logger } = options
  const bulk = openBulk(config, opened)
  const tls = await openTls({ config, logger })
  const { handlers, takeNotifies, takeUpdates } = deferredHandlers()
  const { answering, listen, ...deciding } = openAnswering({ config, logger, ...handlers, tls })
  const opening = await openTable(options, opened)
  const { store, table } = opening
  const cluster = await openCluster({ ...options, store }, opened)
  const base = { ...options, bulk, sealing: new KeySealing(config.keySecret), cluster }
  const servers = openPoolServers({ logger, ...opening, ...handlers, ...answering })
  const targetsOf = (poolId: string) => [{ name: 'this server', zones: servers.zonesOf(poolId) }]
  const served = { ...base, ...opening, servers, targetsOf, ...deciding }
  const { dns, publisher, followers } = await serveStored(served, { listen, opened })
  const { identity, generatedPassword, postponed } = await openAccess(base, store)
  const rating = await openRating({ ...base, store })
  opened.defer(() => rating.close())

  const outbound = openOutbound(config, tls?.files)
  const events = openEvents({ config, logger, store, outbound })
  const { secondaries, transfers } = openSecondaries({ ...base, store, outbound })
  const externalTargets = openExternalTargets({ ...base, store, outbound })
  const catalogs = new Catalogs({ logger })
  const aliases = openAliases({ ...base, store })
  const zonesOf = (poolId: string) => servers.zonesOf(poolId)
  const metering = await openMetering({ ...base, store, table, rating, zonesOf })
  followers.push(
    commit => externalTargets.commitPublished(commit),
    commit => catalogs.commitPublished(commit),
    commit => aliases.commitPublished(commit),
    commit => metering.commitPublished(commit),
    commit => events.publish(commit),
  )
  opened.defer(() => metering.close())

  opened.defer(() => dns.close())
  const snapshots = opening.begin({ publisher, servers })
  opened.defer(() => snapshots.close())
  opened.defer(() => servers.close())
  // Answers are in the table; whoever changes zones needs the rest of the store.
  await store.finishOpening()
  await publisher.settle()
  takeNotifies(notifyHandler({ store, secondaries, logger, outbound }))
  takeUpdates(openUpdates({ ...base, store }))

  const consistency = openConsistency({ store, table, targetsOf, servers, publisher })
  const usage = [rating.points, metering]
  const serviceParts = () => partsOf({ store, dns, servers, scheduler, usage })
  const others = { externalTargets, catalogs, aliases, secondaries, outbound }
  const watched = watchAnswers({ ...base, ...deciding, store, table, zonesOf }, opened)
  const parts = { ...base, store, publisher, servers, ...others, ...watched }
  const services = await manageZones({ ...parts, serviceParts, postponed }, opened)
  followers.push(commit => services.dnssec.commitPublished(commit))
  const durable = [store, ...usage]
  const { backups, scheduledBackups } = openBackups(base, durable)
  const managed = { services, identity, rating, postponed }
  const scheduler = startJobs({ ...parts, ...managed, dns, metering, scheduledBackups, snapshots })
  rating.reprocesses.onScheduled = () => void scheduler.run('rate-usage')
  opened.defer(() => scheduler.stop({ timeoutMs: 2_000 }).then(() => undefined))

  const measured = { store, readers: table.readers, dns, durable, transfers, ...deciding }
  const asked = { ...base, ...others, ...managed, ...measured, consistency, events, backups }
  const servedApi = await serveApi(asked, opened)
  return {
    ...servedApi,
    dns: dns.addresses,
    dnsTls: dns.tlsAddresses,
    dnsHttps: dns.httpsAddresses,
    // With an external Keystone nobody can log in with it.
    generatedPassword: config.keystone === undefined ? generatedPassword : undefined,
    runJob: name => scheduler.run(name),
  }
}

function openBulk({ bulkWorkers }: AppOptions['config'], opened: AsyncDisposableStack): Bulk {
  const bulk = new Bulk({ maxThreads: bulkWorkers })
  opened.defer(() => bulk.close())
  return bulk
}

/** What all listeners have in common: limits, keys, and who may have zones. */
function openAnswering({
  config,
  ...parts
}: Pick<AppOptions, 'config' | 'logger'> & {
  readonly onNotify: OnNotify
  readonly onUpdate: OnHanded
  readonly tls: TlsParts | undefined
}) {
  const keys = new TsigKeyRing()
  const awaited = new AwaitedZoneNames()
  const outgoing = new OutgoingZones()
  const tap = openTap()
  const onDemandKeys = new OnDemandKeys()
  const shared = {
    ...{ keyRing: keys.memory, awaitedZones: awaited.memory, tap },
    onDemandKeys: onDemandKeys.memory,
  }
  const settings = { ...responderSettings(config), ...shared }
  const answering = { settings, outgoing }
  const { dnsListen: addresses, dnsWorkers: threadCount } = config
  const listen = (from: ServedFrom) =>
    openListeners({ ...from, ...answering, ...parts, addresses, threadCount })
  return { keys, awaited, outgoing, tap, answering, listen, onDemandKeys }
}

/** The check of all that is stored and answered. */
function openConsistency({
  servers,
  publisher,
  ...parts
}: Pick<ConstructorParameters<typeof Consistency>[0], 'store' | 'table' | 'targetsOf'> & {
  readonly servers: OwnServers
  readonly publisher: Publisher
}): Consistency {
  const isMoving = (poolId: string) => servers.isMoving(poolId)
  const isPublishing = (zoneId: string) => publisher.isPublishing(zoneId)
  return new Consistency({ ...parts, isMoving, isPublishing })
}

/** Begins with the first, so that each knows why what it has asked of a later one comes to nothing. */
async function closeTogether(all: readonly { close(): Promise<void> }[]): Promise<void> {
  await Promise.all(all.map(each => each.close()))
}

/** Gives the default pool the name servers of the settings. Whatever keeps it from that, what is stored is served. */
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
    // A store that takes no changes yet has them later.
    if (error instanceof StoreReadOnlyError || error instanceof StoreUnavailableError) throw error
    logger.error({ err: error }, 'the name servers of the settings could not be applied')
  }
}

/** Before all else: a certificate that cannot be used should be reported at once.
 *  @throws CertificateError */
async function openTls({
  config: { dnsTls },
  logger,
}: Pick<AppOptions, 'config' | 'logger'>): Promise<TlsParts | undefined> {
  if (dnsTls === undefined) return undefined
  const files = await CertificateFiles.open(dnsTls)
  logCertificate(logger, files)
  return { addresses: dnsTls.listen, httpsAddresses: dnsTls.httpsListen, files }
}

/** Called with each commit that is served. */
type Followers = ((commit: Commit) => void)[]

/** Serves what is stored: at once, where the table that was left and the commits behind it are all of that, and otherwise
 *  when recordsets are there. */
async function serveStored(
  parts: AppOptions &
    OpenTable & {
      readonly servers: OwnServers
      readonly targetsOf: PublisherOptions['targetsOf']
      readonly keys: TsigKeyRing
      readonly onDemandKeys: OnDemandKeys
      readonly awaited: AwaitedZoneNames
      readonly outgoing: OutgoingZones
      readonly bulk: Bulk
      readonly sealing: KeySealing
    },
  {
    listen,
    opened,
  }: {
    readonly listen: (from: ServedFrom) => Promise<DnsListeners>
    readonly opened: AsyncDisposableStack
  },
): Promise<{
  readonly dns: DnsListeners
  readonly publisher: Publisher
  readonly followers: Followers
}> {
  const { logger, clock, servers, keys, awaited, store, snapshot, sealing, bulk } = parts
  const followers: Followers = [
    commit => keys.commitPublished(commit, store),
    commit => awaited.commitPublished(commit),
  ]
  const publisher = new Publisher({
    ...parts,
    lastMoment: store.lastMoment,
    zoneKeys: new ZoneKeys({ store, sealing, nowMillis: () => clock.nowMillis() }),
    signBatch: batch => bulk.signBatch(batch),
    onProblem: ({ zone, problem, error }) =>
      logger.error({ zone: zone.name, err: error }, `not served: ${problem}`),
    onPublished: commit => {
      for (const follow of followers) follow(commit)
    },
  })
  keys.load(store)
  awaited.load(store)
  const open = async () => {
    const dns = await listen(parts)
    // For a start that fails; otherwise they are closed already.
    opened.defer(() => dns.close())
    await servers.open()
    const secured = { dnsTls: dns.tlsAddresses, dnsHttps: dns.httpsAddresses }
    logger.info({ dns: dns.addresses, ...(parts.config.dnsTls && secured) }, 'answering')
    return dns
  }
  const commitsBehind = store.commitsBehind()
  const unserved = snapshot && commitsBehind && (await publisher.resume(commitsBehind, snapshot))
  const early = unserved?.size === 0 ? await open() : undefined
  await store.loadRecordsets()
  await (unserved === undefined ? publisher.start() : publisher.startZones(unserved))
  publisher.follow()
  parts.outgoing.begin({ ...parts, publisher, zonesOf: poolId => servers.zonesOf(poolId) })
  return { dns: early ?? (await open()), publisher, followers }
}

/** The services, and what goes on behind them from now on. */
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
  const isLeft = (node: string | undefined) => node === cluster.node || cluster.isGone(node)
  await postponed.attempt(() => services.zoneImports.recover(isLeft))
  opened.defer(() => closeTogether([services.zoneImports, catalogs, secondaries, bulk]))
  opened.defer(() => closeTogether([externalTargets, parts.aliases]))
  if (!cluster.duty.isHeld) void externalTargets.start()
  cluster.duty.whenHeld(lost => {
    void externalTargets.start()
    catalogs.follow({ ...parts, zones: services.zones }, lost)
  })
  return services
}

/** The services, with what goes wrong behind them in the log. */
function loggedServices(
  parts: Pick<AppOptions, 'config' | 'logger'> &
    Pick<
      ServiceOptions,
      | 'store'
      | 'cluster'
      | 'bulk'
      | 'clock'
      | 'sealing'
      | 'publisher'
      | 'servers'
      | 'externalTargets'
      | 'aliases'
      | 'serviceParts'
      | 'answersOf'
      | 'busiest'
      | 'queryLogRules'
    > & {
      readonly secondaries: Secondaries
      readonly outbound: Outbound
    },
): Services {
  const { config, logger, secondaries, outbound } = parts
  return openServices({
    ...parts,
    minTtlSeconds: config.minTtlSeconds,
    knowsProjects: config.keystone === undefined,
    hostname: hostname(),
    askParent: outbound.askParent,
    notifyParent: outbound.notifyParent,
    externalTargetClient: outbound.targetClient,
    outboundAddresses: outbound.addresses,
    onTransferWanted: zone => void secondaries.refreshNow(zone.id),
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

/** NOTIFY events and updates that wait until there are handlers. */
function deferredHandlers() {
  const notify = Promise.withResolvers<OnNotify>()
  const update = Promise.withResolvers<OnHanded>()
  const handlers: { readonly onNotify: OnNotify; readonly onUpdate: OnHanded } = {
    onNotify: async event => (await notify.promise)(event),
    onUpdate: async (...args) => (await update.promise)(...args),
  }
  return { handlers, takeNotifies: notify.resolve, takeUpdates: update.resolve }
}
