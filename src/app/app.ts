import { randomInt } from 'node:crypto'
import { hostname } from 'node:os'
import { Bulk } from '../bulk/bulk.ts'
import { hasPlaceholder, nsRecordsInOrder } from '../model/pool.ts'
import { Publisher, type PublisherOptions } from '../publish/publisher.ts'
import { TableSnapshotWriter } from '../publish/table-snapshots.ts'
import { Consistency } from '../service/consistency/consistency.ts'
import type { ExternalTargets } from '../service/external-targets.ts'
import type { Pools } from '../service/pools.ts'
import type { Secondaries } from '../service/secondaries.ts'
import type { LowdbStore } from '../store/lowdb-store.ts'
import { StoreReadOnlyError } from '../store/store.ts'
import type { ListenAddress, OnNotify, OnUpdate } from '../transport/answer.ts'
import { collectGarbage } from '../transport/threads/freed-memory.ts'
import { adviseHugePages } from '../transport/threads/huge-pages.ts'
import { CertificateFiles } from '../transport/tls-certificate.ts'
import { ZoneTable } from '../zone/table/zone-table.ts'
import { type ServedApi, serveApi } from './api.ts'
import { AwaitedZoneNames } from './awaited-zones.ts'
import { openBackups } from './backup.ts'
import { Catalogs } from './catalogs.ts'
import { openUpdates } from './dynamic-updates.ts'
import { type Events, openEvents } from './events.ts'
import { startJobs } from './jobs.ts'
import { type Metering, openMetering } from './metering.ts'
import type { AppOptions } from './options.ts'
import { type Outbound, openOutbound } from './outbound.ts'
import { openRating, type Rating } from './rating.ts'
import { notifyHandler, openSecondaries } from './secondaries.ts'
import {
  type AnsweredFrom,
  logCertificate,
  type OwnServers,
  openExternalTargets,
  openListeners,
  openPoolServers,
  partsOf,
  responderSettings,
  type TlsParts,
} from './servers.ts'
import { openServices, type ServiceOptions, type Services } from './services.ts'
import { openStored } from './stored.ts'
import { OutgoingZones } from './transfers.ts'
import { TsigKeyRing } from './tsig-key-ring.ts'
import { WarmStart } from './warm-start.ts'
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
  const { config, clock, logger } = options
  const base = { config, clock, logger }
  const tls = await openTls({ config, logger })
  const { handlers, takeNotifies, takeUpdates } = deferredHandlers()
  const { answering, listen, ...deciding } = openAnswering({ config, logger, ...handlers, tls })
  const files = { dataDir: config.dataDir, clock, logger }
  const warmStart = await WarmStart.begin(files, listen)
  // For a start that fails; otherwise they are closed already.
  if (warmStart !== undefined) opened.defer(() => warmStart.dns.close())
  const snapshots = new TableSnapshotWriter(files)
  opened.defer(() => snapshots.finish())
  const { store, identity, generatedPassword, postponed } = await openStored(options, opened)
  const rating = await openRating({ ...base, store })
  opened.defer(() => rating.close())

  const outbound = openOutbound(config, tls?.files)
  const events = openEvents({ config, logger, store, outbound })
  const bulk = new Bulk({ maxThreads: config.bulkWorkers })
  const served = await openTable()
  const { table } = served
  const { secondaries, transfers } = openSecondaries({ store, clock, logger, outbound, bulk })
  const servers = openPoolServers({ store, logger, ...served, ...handlers, ...answering })
  const externalTargets = openExternalTargets({ store, logger, outbound })
  const targetsOf = (poolId: string) => [{ name: 'this server', zones: servers.zonesOf(poolId) }]
  const stored = { ...base, store, table, servers, targetsOf, rating }
  const catalogs = new Catalogs({ store, logger })
  const answered = { ...stored, ...deciding, externalTargets, catalogs, events }
  const { publisher, metering } = await serveStored(answered)
  opened.defer(() => metering.close())
  collectGarbage()

  const dns = warmStart === undefined ? await listen(served) : await warmStart.takeOver(served)
  opened.defer(() => dns.close())
  opened.defer(() => snapshots.write())
  opened.defer(() => servers.close())
  await servers.open()
  const secured = { dnsTls: dns.tlsAddresses, dnsHttps: dns.httpsAddresses }
  logger.info({ dns: dns.addresses, ...(tls && secured) }, 'answering')
  // Answers are in the table; whoever changes zones needs the rest of the store.
  await store.finishOpening()
  takeNotifies(notifyHandler({ store, secondaries, logger, outbound }))
  takeUpdates(openUpdates({ ...base, store }))

  const consistency = openConsistency({ store, table, targetsOf, servers, publisher })
  const usage = [rating.points, metering]
  const serviceParts = () => partsOf({ store, dns, servers, scheduler, usage })
  const others = { externalTargets, catalogs, secondaries, outbound }
  const parts = { ...base, store, publisher, servers, ...others, bulk }
  const services = await manageZones({ ...parts, serviceParts, postponed }, opened)
  const durable = [store, ...usage]
  const { backups, scheduledBackups } = openBackups(base, durable)
  const managed = { services, identity, rating, postponed }
  const scheduler = startJobs({ ...parts, ...managed, dns, metering, scheduledBackups })
  rating.reprocesses.onScheduled = () => void scheduler.run('rate-usage')
  opened.defer(() => scheduler.stop({ timeoutMs: 2_000 }).then(() => undefined))

  const { outgoing } = deciding
  const measured = { store, readers: table.readers, dns, durable, transfers, outgoing }
  const asked = { ...base, ...managed, ...measured, consistency, events, backups }
  const servedApi = await serveApi(asked, opened)
  snapshots.begin({ store, ...served })
  return {
    ...servedApi,
    dns: dns.addresses,
    ...secured,
    // With an external Keystone nobody can log in with it.
    generatedPassword: config.keystone === undefined ? generatedPassword : undefined,
    runJob: name => scheduler.run(name),
  }
}

/** What all listeners have in common: limits, keys, and who may have zones. */
function openAnswering({
  config,
  ...parts
}: Pick<AppOptions, 'config' | 'logger'> & {
  readonly onNotify: OnNotify
  readonly onUpdate: OnUpdate
  readonly tls: TlsParts | undefined
}) {
  const keys = new TsigKeyRing()
  const awaited = new AwaitedZoneNames()
  const outgoing = new OutgoingZones()
  const shared = { keyRing: keys.memory, awaitedZones: awaited.memory }
  const settings = { ...responderSettings(config), ...shared }
  const answering = { settings, offerTransfer: outgoing.offer }
  const { dnsListen: addresses, dnsWorkers: threadCount } = config
  const listen = (from: AnsweredFrom) =>
    openListeners({ ...from, ...answering, ...parts, addresses, threadCount })
  return { keys, awaited, outgoing, answering, listen }
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

/** The table that all zones are answered from, with the target of the default pool. */
async function openTable() {
  const table = ZoneTable.create({ randomWord: () => randomInt(2 ** 32) })
  await adviseHugePages(table.memory)
  return { table, zones: table.addTarget() }
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
    // On a disk that takes no writes they are applied when it does.
    if (error instanceof StoreReadOnlyError) throw error
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

/** Serves what is stored, and tells those who follow of each change that is served from then on. */
async function serveStored(
  parts: AppOptions & {
    readonly store: LowdbStore
    readonly table: ZoneTable
    readonly servers: OwnServers
    readonly targetsOf: PublisherOptions['targetsOf']
    readonly externalTargets: ExternalTargets
    readonly catalogs: Catalogs
    readonly events: Events
    readonly rating: Rating
    readonly keys: TsigKeyRing
    readonly awaited: AwaitedZoneNames
    readonly outgoing: OutgoingZones
  },
): Promise<{ readonly publisher: Publisher; readonly metering: Metering }> {
  const { logger, externalTargets, catalogs, events, servers, keys, awaited, store } = parts
  let metering: Metering | undefined
  const publisher = new Publisher({
    ...parts,
    onProblem: ({ zone, problem, error }) =>
      logger.error({ zone: zone.name, err: error }, `not served: ${problem}`),
    onPublished: commit => {
      keys.commitPublished(commit, store)
      awaited.commitPublished(commit)
      externalTargets.commitPublished(commit)
      catalogs.commitPublished(commit)
      metering?.commitPublished(commit)
      events.publish(commit)
    },
  })
  keys.load(store)
  awaited.load(store)
  await publisher.start()
  const zonesOf = (poolId: string) => servers.zonesOf(poolId)
  parts.outgoing.begin({ ...parts, publisher, zonesOf })
  metering = await openMetering({ ...parts, zonesOf })
  return { publisher, metering }
}

/** The services, and what goes on behind them from now on. */
async function manageZones(
  parts: Parameters<typeof loggedServices>[0] & {
    readonly postponed: WhenWritable
    readonly catalogs: Catalogs
  },
  opened: AsyncDisposableStack,
): Promise<Services> {
  const { config, logger, postponed, externalTargets, catalogs, secondaries, bulk } = parts
  const services = loggedServices(parts)
  await postponed.attempt(() => configurePool({ config, logger, pools: services.pools }))
  await postponed.attempt(() => services.zoneImports.recover())
  opened.defer(() => closeTogether([services.zoneImports, catalogs, secondaries, bulk]))
  opened.defer(() => externalTargets.close())
  void externalTargets.start()
  catalogs.start({ ...parts, zones: services.zones })
  return services
}

/** The services, with what goes wrong behind them in the log. */
function loggedServices(
  parts: Pick<AppOptions, 'config' | 'logger'> &
    Pick<
      ServiceOptions,
      'store' | 'bulk' | 'clock' | 'publisher' | 'servers' | 'externalTargets' | 'serviceParts'
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
    externalTargetClient: outbound.targetClient,
    outboundAddresses: outbound.addresses,
    onTransferWanted: zone => void secondaries.refreshNow(zone.id),
    onRemovalFailed: (zone, error) =>
      logger.error({ zone: zone.name, err: error }, 'a zone could not be removed yet'),
    onRewriteFailed: (pool, error) =>
      logger.error({ pool: pool.name, err: error }, 'name servers are not in all zones yet'),
    onImportFailed: ({ id }, error) =>
      logger.error({ err: error, import: id }, 'a zone import failed'),
  })
}

/** NOTIFY events and updates that wait until there are handlers. */
function deferredHandlers() {
  const notify = Promise.withResolvers<OnNotify>()
  const update = Promise.withResolvers<OnUpdate>()
  const handlers: { readonly onNotify: OnNotify; readonly onUpdate: OnUpdate } = {
    onNotify: async event => (await notify.promise)(event),
    onUpdate: async (...args) => (await update.promise)(...args),
  }
  return { handlers, takeNotifies: notify.resolve, takeUpdates: update.resolve }
}
