import { Bulk } from '../bulk/bulk.ts'
import { OnDemandKeys } from '../dnssec/on-demand.ts'
import { KeySealing } from '../dnssec/sealed-key.ts'
import { Publisher } from '../publish/publisher.ts'
import { ZoneKeys } from '../publish/zone-keys.ts'
import type { OnHanded, OnNotify } from '../transport/answer.ts'
import type { Listeners } from '../transport/listeners.ts'
import { CertificateFiles } from '../transport/tls-certificate.ts'
import { AwaitedZoneNames } from './awaited-zones.ts'
import { openCluster } from './cluster.ts'
import type { Answered, Followers, Managed, Serving } from './management.ts'
import type { AppOptions } from './options.ts'
import { openTap } from './query-tap.ts'
import { openTable } from './served-table.ts'
import {
  followPools,
  logCertificate,
  openListeners,
  openPoolServers,
  responderSettings,
  type ServedFrom,
  type TlsParts,
} from './servers.ts'
import { OutgoingZones } from './transfers.ts'
import { TsigKeyRing } from './tsig-key-ring.ts'

// The composition root: only this folder knows which concrete class has which role. It contains no rules.

/** A running server. */
export type App = Managed & {
  /** Finishes running requests and makes everything durable. Idempotent. */
  close(): Promise<void>
}

/** Opens the store, publishes all of it, and then serves DNS and the API.
 *  @throws CertificateError, DamageError, StoreLockedError, ListenError and any other error that stops a start; nothing is left
 *  open then. */
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
    // The error that stopped the start says more than an error in closing after it.
    await close().catch(() => undefined)
    throw error
  }
}

async function start(options: AppOptions, opened: AsyncDisposableStack): Promise<Managed> {
  const { config, logger } = options
  const bulk = new Bulk({ maxThreads: config.bulkWorkers })
  opened.defer(() => bulk.close())
  const tls = await openTls({ config, logger })
  const { handlers, takeNotifies, takeUpdates } = deferredHandlers()
  const { answering, listen, ...deciding } = openAnswering({ config, logger, ...handlers, tls })
  const opening = await openTable(options, opened)
  const cluster = await openCluster({ ...options, store: opening.store }, opened)
  const base = { ...options, bulk, sealing: new KeySealing(config.keySecret), cluster }
  const servers = openPoolServers({ logger, ...opening, ...handlers, ...answering })
  const zonesOf = (poolId: string) => servers.zonesOf(poolId)
  const targetsOf = (poolId: string) => [{ name: 'this server', zones: zonesOf(poolId) }]
  const served = { ...base, ...opening, servers, zonesOf, targetsOf, ...deciding }
  const answered = await serveStored(served, { listen, opened })
  // Half of all modules only serve changes of zones, so they are loaded once zones are answered.
  const { manage } = await import('./management.ts')
  return manage({ ...served, ...answered, tls, takeNotifies, takeUpdates }, opened)
}

/** The parts that all listeners share: limits, keys, and the permission for transfers. */
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

/** Called first of all: an unusable certificate should be reported at once.
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

/** Serves the stored zones: at once, where the saved table and the commits after it cover all of them, and otherwise once
 *  recordsets are loaded. */
async function serveStored(
  parts: Serving,
  {
    listen,
    opened,
  }: {
    readonly listen: (from: ServedFrom) => Promise<Listeners>
    readonly opened: AsyncDisposableStack
  },
): Promise<Answered> {
  const { logger, clock, servers, keys, awaited, store, snapshot, sealing, bulk } = parts
  const followers: Followers = [
    commit => keys.commitPublished(commit, store),
    commit => awaited.commitPublished(commit),
  ]
  const publisher = new Publisher({
    ...parts,
    lastMoment: store.lastMoment,
    zoneKeys: new ZoneKeys({ store, sealing, nowMillis: () => clock.nowMillis() }),
    signBatch: (batch, projectId) => bulk.signBatch(batch, projectId),
    onProblem: ({ zone, problem, error }) =>
      logger.error({ zone: zone.name, err: error }, `not served: ${problem}`),
    onCommit: store.shared && (commit => followPools(servers, commit)),
    onPublished: commit => {
      for (const follow of followers) follow(commit)
    },
  })
  keys.load(store)
  awaited.load(store)
  const open = async () => {
    const dns = await listen(parts)
    // For a start that fails; otherwise they are already closed.
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
  parts.outgoing.begin({ ...parts, publisher })
  return { dns: early ?? (await open()), publisher, followers }
}

/** Holds NOTIFY events and updates until there are handlers. */
function deferredHandlers() {
  const notify = Promise.withResolvers<OnNotify>()
  const update = Promise.withResolvers<OnHanded>()
  const handlers: { readonly onNotify: OnNotify; readonly onUpdate: OnHanded } = {
    onNotify: async event => (await notify.promise)(event),
    onUpdate: async (...args) => (await update.promise)(...args),
  }
  return { handlers, takeNotifies: notify.resolve, takeUpdates: update.resolve }
}
