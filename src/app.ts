import { randomInt } from 'node:crypto'
import { hostname } from 'node:os'
import { checkMount } from './api/admin/check.ts'
import { adminMount } from './api/admin/mount.ts'
import { eventBody, eventRoutes } from './api/dns/events.ts'
import { dnsMounts } from './api/dns/mounts.ts'
import { dnsV1Mounts } from './api/dns-v1/mounts.ts'
import { identityMount } from './api/identity/mount.ts'
import { ratingMounts } from './api/rating/mounts.ts'
import type { RatingServices } from './api/rating/services.ts'
import { rootMount } from './api/root.ts'
import type { Mount } from './api/route-table.ts'
import { type Api, createApi } from './api/server.ts'
import { plainVersions } from './api/versions.ts'
import { type Metering, openMetering } from './app-metering.ts'
import { openRating, type Rating } from './app-rating.ts'
import {
  type DnsListeners,
  logCertificate,
  type OwnServers,
  openListeners,
  openOutsideServers,
  openPoolServers,
  partsOf,
  type TlsParts,
} from './app-servers.ts'
import { openServices, type ServiceOptions, type Services } from './app-services.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config/config.ts'
import type { Authenticator } from './identity/authenticator.ts'
import { type Identity, openIdentity } from './identity/identity.ts'
import type { CircuitChange } from './identity/keystone/circuit-breaker.ts'
import { KeystoneAuthenticator } from './identity/keystone/keystone-authenticator.ts'
import { jobsFor } from './jobs/jobs.ts'
import { Scheduler } from './jobs/scheduler.ts'
import type { Logger } from './log.ts'
import { Publisher, type PublisherOptions } from './publish.ts'
import { Consistency } from './service/consistency/consistency.ts'
import { EventLog } from './service/events/event-log.ts'
import { eventFactsOf } from './service/events/resource-event.ts'
import { Webhooks } from './service/events/webhooks.ts'
import type { OutsideServers } from './service/outside-servers.ts'
import { ensureDefaultPool } from './service/pools.ts'
import { Secondaries, type SecondariesOptions, type SecondaryEvent } from './service/secondaries.ts'
import { type LowdbStore, openLowdbStore } from './store/lowdb-store.ts'
import type { Commit } from './store/store.ts'
import type { ListenAddress } from './transport/answer.ts'
import { ListenError } from './transport/listen-error.ts'
import { AxfrClient } from './transport/outbound/axfr.ts'
import { httpPost } from './transport/outbound/http-post.ts'
import { OutsideClient } from './transport/outbound/outside-client.ts'
import { collectGarbage, returnFreedMemory } from './transport/threads/freed-memory.ts'
import { adviseHugePages } from './transport/threads/huge-pages.ts'
import { CertificateFiles } from './transport/tls-certificate.ts'
import { ZoneTable } from './zone/table/zone-table.ts'

// The composition root: the only file that knows which parts there are and which concrete class plays each.
// It has no rules of its own.

export type AppOptions = {
  readonly config: Config
  readonly clock: Clock
  readonly logger: Logger
}

/** A server that serves. */
export type App = {
  readonly api: ListenAddress
  /** All that the API answers to. */
  readonly mounts: readonly Mount[]
  readonly dns: readonly ListenAddress[]
  /** Where DNS is answered over TLS; nowhere where that is not set. */
  readonly dnsTls: readonly ListenAddress[]
  /** The administrator's password, where one was made up at this start; to be shown once. */
  readonly generatedPassword: string | undefined
  /** Runs a job at once, for whoever turns the clock. */
  runJob(name: string): Promise<void>
  /** Finishes what is in flight and makes everything durable. Idempotent. */
  close(): Promise<void>
}

/** Opens the store, publishes all of it, and then serves DNS and the API.
 *  @throws CertificateError, StoreDamageError, StoreLockedError, ListenError and whatever else stops a start; nothing
 *  is left open then. */
export async function startApp(options: AppOptions): Promise<App> {
  const closing = new Closing()
  try {
    return await start(options, closing)
  } catch (error) {
    await closing.run()
    throw error
  }
}

async function start({ config, clock, logger }: AppOptions, closing: Closing): Promise<App> {
  const tls = await openTls({ config, logger })
  const store = await openStore({ config, clock, logger })
  closing.add(() => store.close())
  const { identity, generatedPassword } = await openIdentity({ store, clock, ...config })
  await ensureDefaultPool(store)
  const rating = await openRating({ config, store, clock, logger })
  closing.add(() => rating.close())

  const events = openEvents({ config, logger, store })
  const table = ZoneTable.create({ randomWord: () => randomInt(2 ** 32) })
  await adviseHugePages(table.memory)
  const zones = table.addTarget()
  const servers = openPoolServers({ store, logger, table, zones })
  const outside = openOutsideServers(store, logger)
  const targetsOf = (poolId: string) => [{ name: 'this server', zones: servers.zonesOf(poolId) }]
  const stored = { config, clock, logger, store, table, servers, targetsOf, rating }
  const { publisher, metering } = await serveStored({ ...stored, outside, events })
  closing.add(() => metering.close())
  collectGarbage()

  const dns = await openListeners({
    table,
    zones,
    addresses: config.dnsListen,
    threadCount: config.dnsWorkers,
    logger,
    tls,
  })
  closing.add(() => dns.close())
  closing.add(() => servers.close())
  await servers.open()

  const isMoving = (poolId: string) => servers.isMoving(poolId)
  const consistency = new Consistency({ store, table, targetsOf, isMoving })
  const secondaries = openSecondaries({ store, clock, logger })
  const serviceParts = () => partsOf({ store, dns, servers, scheduler })
  const parts = { config, clock, logger, store, publisher, servers, outside, secondaries }
  const services = loggedServices({ ...parts, serviceParts })
  closing.add(() => secondaries.close())
  await services.zoneImports.recover()
  closing.add(() => services.zoneImports.close())
  closing.add(() => outside.close())
  const scheduler = startJobs({ ...parts, dns, services, identity, rating, metering })
  rating.reprocesses.onScheduled = () => void scheduler.run('rate-usage')
  void outside.start()
  closing.add(async () => {
    await scheduler.stop({ timeoutMs: 2_000 })
  })

  const served = { identity, services, consistency, rating, events }
  const { api, mounts } = await serveApi({ config, clock, logger, ...served }, closing)
  return {
    api,
    mounts,
    dns: dns.addresses,
    dnsTls: dns.tlsAddresses,
    // With an external Keystone nobody can log in with it.
    generatedPassword: config.keystone === undefined ? generatedPassword : undefined,
    runJob: name => scheduler.run(name),
    close: () => closing.run(),
  }
}

/** Before all else: a certificate that cannot be used should be told at once.
 *  @throws CertificateError */
async function openTls({
  config: { dnsTls },
  logger,
}: Pick<AppOptions, 'config' | 'logger'>): Promise<TlsParts | undefined> {
  if (dnsTls === undefined) return undefined
  const files = await CertificateFiles.open(dnsTls)
  logCertificate(logger, files)
  return { addresses: dnsTls.listen, files }
}

/** Serves what is stored, and tells those who follow of each change that is served from then on. */
async function serveStored(
  parts: AppOptions & {
    readonly store: LowdbStore
    readonly table: ZoneTable
    readonly servers: OwnServers
    readonly targetsOf: PublisherOptions['targetsOf']
    readonly outside: OutsideServers
    readonly events: ReturnType<typeof openEvents>
    readonly rating: Rating
  },
): Promise<{ readonly publisher: Publisher; readonly metering: Metering }> {
  const { logger, outside, events, servers } = parts
  let metering: Metering | undefined
  const publisher = new Publisher({
    ...parts,
    onProblem: ({ zone, problem, error }) =>
      logger.error({ zone: zone.name, err: error }, `not served: ${problem}`),
    onPublished: commit => {
      outside.commitPublished(commit)
      metering?.commitPublished(commit)
      events.publish(commit)
    },
  })
  await publisher.start()
  const zonesOf = (poolId: string) => servers.zonesOf(poolId)
  metering = await openMetering({ ...parts, zonesOf })
  return { publisher, metering }
}

/** Streams and webhooks, fed by what is published. */
function openEvents({
  config,
  logger,
  store,
}: Pick<AppOptions, 'config' | 'logger'> & { readonly store: LowdbStore }) {
  const log = new EventLog({ store })
  const webhooks = new Webhooks({
    urls: config.webhookUrls,
    secret: config.webhookSecret,
    post: httpPost,
    store,
    log,
    bodyOf: eventBody,
    onEvent: event => logger.warn(event, 'a webhook was not delivered'),
    onFailed: error => logger.error({ err: error }, 'what webhooks were told could not be kept'),
  })
  return {
    log,
    publish: (commit: Commit) => log.publish(commit),
    startWebhooks: () => webhooks.start(),
    close: async () => {
      log.close()
      await webhooks.close()
    },
  }
}

async function openStore({ config, clock, logger }: AppOptions): Promise<LowdbStore> {
  return openLowdbStore({
    directory: config.dataDir,
    clock,
    factsOf: eventFactsOf,
    historyOctets: config.eventHistoryMebibytes * 1024 * 1024,
    report: event => {
      if (event.kind === 'journal-cut') {
        logger.warn(event, 'an unacknowledged change was cut off the journal after a crash')
      } else if (event.kind === 'document-healed') {
        logger.warn(event, 'an unreadable document was put together from its previous generation')
      } else if (event.kind === 'read-only') {
        logger.error(event, 'changes are refused from now on; what is stored is still answered')
      } else {
        logger.error({ err: event.error }, 'a checkpoint failed; the journal has all changes')
      }
    },
  })
}

/** The services, with what goes wrong behind them in the log. */
function loggedServices(
  parts: Pick<AppOptions, 'config' | 'logger'> &
    Pick<
      ServiceOptions,
      'store' | 'clock' | 'publisher' | 'servers' | 'outside' | 'serviceParts'
    > & {
      readonly secondaries: Secondaries
    },
): Services {
  const { config, logger, secondaries } = parts
  return openServices({
    ...parts,
    minTtlSeconds: config.minTtlSeconds,
    hostname: hostname(),
    outsideClient: new OutsideClient({ randomId: () => randomInt(0x1_0000) }),
    onTransferWanted: zone => void secondaries.refreshNow(zone.id),
    onRemovalFailed: (zone, error) =>
      logger.error({ zone: zone.name, err: error }, 'a zone could not be removed yet'),
    onRewriteFailed: (pool, error) =>
      logger.error({ pool: pool.name, err: error }, 'name servers are not in all zones yet'),
    onImportFailed: ({ id }, error) =>
      logger.error({ err: error, import: id }, 'a zone import failed'),
  })
}

function openSecondaries({
  logger,
  ...parts
}: Pick<SecondariesOptions, 'store' | 'clock'> & { readonly logger: Logger }): Secondaries {
  return new Secondaries({
    ...parts,
    client: new AxfrClient({ randomId: () => randomInt(0x1_0000) }),
    random: Math.random,
    onEvent: event => logSecondaryEvent(logger, event),
  })
}

function logSecondaryEvent(logger: Logger, event: SecondaryEvent): void {
  if (event.kind === 'transferred') logger.info(event, 'zone transferred')
  else if (event.kind === 'failed') logger.warn(event, 'zone transfer failed')
  else if (event.kind === 'expired') logger.error(event, 'zone expired: no master answers any more')
  else logger.error({ zone: event.zone, err: event.error }, 'a zone could not be refreshed')
}

function startJobs(parts: {
  readonly logger: Logger
  readonly dns: DnsListeners
  readonly servers: OwnServers
  readonly outside: OutsideServers
  readonly store: LowdbStore
  readonly services: Services
  readonly secondaries: Secondaries
  readonly identity: Identity
  readonly rating: Rating
  readonly metering: Metering
  readonly config: Config
}): Scheduler {
  const { logger, store, secondaries, identity, dns, servers, outside, rating, metering } = parts
  const { removal, rewrites, serviceStatuses } = parts.services
  const scheduler = new Scheduler({
    jobs: jobsFor({
      refreshSecondaries: () => secondaries.refreshDue(),
      finishDeletions: () => removal.finishAll(),
      finishRewrites: () => rewrites.finishAll(),
      openListeners: () => servers.open(),
      renewCertificate: () => dns.renewCertificate(),
      recheckOutside: () => outside.recheck(),
      beat: () => serviceStatuses.beat(),
      usageFlushSeconds: parts.config.usageFlushSeconds,
      flushUsage: () => metering.flush(),
      rateUsage: () => metering.rate(),
      pruneUsage: () => metering.prune(),
      checkBudgets: () => rating.budgetWatch.checkAll(),
      checkpoint: () => store.checkpoint(),
      purgeRevokedTokens: async () => {
        await identity.sessions.purgeRevoked()
      },
      returnFreedMemory: async () => {
        await returnFreedMemory()
      },
    }),
    onEvent: event => {
      if (event.kind === 'failed') logger.error({ job: event.job, err: event.error }, 'job failed')
      else logger.info({ job: event.job }, 'job runs again')
    },
  })
  scheduler.start()
  // What fell due while the server was down does not wait for the first round.
  void scheduler.run('finish-deletions')
  void scheduler.run('finish-rewrites')
  void scheduler.run('beat')
  void scheduler.run('refresh-secondaries')
  void scheduler.run('rate-usage')
  void scheduler.run('check-budgets')
  void scheduler.run('return-freed-memory')
  return scheduler
}

/** Who says who makes a request: our own identity service, or the Keystone of the settings. */
function authenticatorFor(parts: AppOptions & { readonly identity: Identity }): Authenticator {
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

type MountParts = {
  readonly config: Config
  readonly identity: Identity
  readonly services: Services
  readonly consistency: Consistency
  readonly rating: RatingServices
  readonly events: EventLog
}

function mountsFor(parts: MountParts): readonly Mount[] {
  const { config, identity, services, consistency, rating, events } = parts
  return [
    ...dnsMounts(services, eventRoutes(events)),
    ...dnsV1Mounts(services, { extensions: config.extensionsV1 }),
    ...ratingMounts(rating),
    config.hasAdminApi ? adminMount({ ...services, consistency }) : checkMount(consistency),
    // Whoever logs in elsewhere must not find a second door here.
    ...(config.keystone === undefined ? [identityMount(identity)] : []),
    // It listens only after everything that it would have to wait for.
    rootMount({ versions: plainVersions, readiness: () => [] }),
  ]
}

/** Lets clients in, once all that they may ask for is there. */
async function serveApi(
  parts: AppOptions &
    Omit<MountParts, 'events'> & { readonly events: ReturnType<typeof openEvents> },
  closing: Closing,
): Promise<Pick<App, 'api' | 'mounts'>> {
  const { config, logger, events } = parts
  const mounts = mountsFor({ ...parts, events: events.log })
  const api = createApi({
    mounts,
    identity: authenticatorFor(parts),
    logger,
    publicUrl: config.publicUrl,
    keystoneUrl: config.keystone?.url,
  })
  closing.add(() => api.close({ deadlineMs: 3_000 }))
  // Before the API, which waits for its streams to end.
  closing.add(() => events.close())
  await events.startWebhooks()
  return { api: await listenApi(api, config.apiListen), mounts }
}

async function listenApi(api: Api, address: ListenAddress): Promise<ListenAddress> {
  try {
    return await api.listen(address)
  } catch (error) {
    throw new ListenError(address, 'http', error)
  }
}

/** What has been opened, to be closed in the opposite order. */
class Closing {
  readonly #steps: (() => Promise<void>)[] = []
  #done: Promise<void> | undefined

  add(step: () => Promise<void>): void {
    this.#steps.push(step)
  }

  run(): Promise<void> {
    this.#done ??= this.#run()
    return this.#done
  }

  async #run(): Promise<void> {
    for (const step of this.#steps.reverse()) await step()
  }
}
