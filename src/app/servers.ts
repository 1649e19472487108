import { randomBytes, randomInt } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { parseName } from '../dns/name.ts'
import { parseIpv4 } from '../dns/rdata/fields/ipv4.ts'
import { parseIpv6 } from '../dns/rdata/fields/ipv6.ts'
import { readOnlyReasonOf, type Writing } from '../durable/writability.ts'
import { formatHostPort } from '../host-port.ts'
import type { Scheduler } from '../jobs/scheduler.ts'
import type { Logger } from '../log.ts'
import { listenAddressesOf } from '../model/pool-attributes.ts'
import { cookieSecretOctets } from '../nameserver/cookies.ts'
import { openResponder, type ResponderSettings } from '../nameserver/responder.ts'
import { createRateLimit, type RateLimitHandle } from '../nameserver/response-rate-limit.ts'
import type { ServicePart } from '../service/operations/service-statuses.ts'
import { ExternalTargets } from '../service/targets/external-targets.ts'
import { servedZonePages } from '../service/zones/abandoned-zones.ts'
import { everything } from '../store/indexes.ts'
import type { Commit, Store } from '../store/store.ts'
import {
  answerFrom,
  type ListenAddress,
  type OnHanded,
  type OnNotify,
} from '../transport/answer.ts'
import { Listeners, type TlsOptions } from '../transport/listeners.ts'
import { PoolServers } from '../transport/pool-servers.ts'
import { defaultTcpLimits } from '../transport/tcp.ts'
import { adviseHugePages } from '../transport/threads/huge-pages.ts'
import type { CertificateFiles } from '../transport/tls-certificate.ts'
import type { UdpCounters } from '../transport/udp.ts'
import { readerCounts } from '../zone/table/counters.ts'
import type { TargetZones } from '../zone/table/target-zones.ts'
import type { ZoneTable } from '../zone/table/zone-table.ts'
import type { CommonParts } from './options.ts'
import type { Outbound } from './outbound.ts'
import type { OutgoingZones } from './transfers.ts'

// The composition root's part for servers: those that answer in this process, both the default ones and the pools' own, and
// the external ones that pools name.

/** A table, and the zones in it that one server answers from. */
export type ServedFrom = { readonly table: ZoneTable; readonly zones: TargetZones }

/** A pool has its own listeners for separation; the default ones carry the load. */
const poolThreadCount = 1

/** The addresses of DNS over TLS and HTTPS, and their certificate. */
export type TlsParts = Omit<TlsOptions, 'credentials'> & { readonly files: CertificateFiles }

/** Reserves the accounts of response rate limiting, which all servers of this process share; undefined where it is off. */
export function openRateLimit(settings: Config['rateLimit']): RateLimitHandle | undefined {
  if (settings === undefined) return undefined
  const exempt = settings.exempt.map(({ address, bits }) => {
    const octets = parseIpv4(address) ?? parseIpv6(address)
    if (octets === undefined) throw new Error(`${address} is no IP address`)
    return { octets, bits }
  })
  return createRateLimit({ ...settings, exempt }, () => randomInt(2 ** 32))
}

/** How all servers of this process answer. */
export function responderSettings(config: Config): ResponderSettings {
  const { rateLimit, dnsIdentity, dnsVersion, dnsCookieSecrets } = config
  return {
    rateLimit: openRateLimit(rateLimit),
    facts: {
      identity: dnsIdentity === undefined ? undefined : Buffer.from(dnsIdentity),
      version: dnsVersion === undefined ? undefined : Buffer.from(dnsVersion),
    },
    cookieSecrets:
      dnsCookieSecrets.length === 0
        ? [randomBytes(cookieSecretOctets)]
        : dnsCookieSecrets.map(secret => Buffer.from(secret, 'hex')),
    keepaliveTenths: defaultTcpLimits.idleMs / 100,
  }
}

/** What all listeners have, whichever zones they answer from. */
type Answering = {
  readonly logger: Logger
  readonly settings?: ResponderSettings
  readonly outgoing?: OutgoingZones
  readonly onNotify?: OnNotify
  readonly onUpdate?: OnHanded
}

/** Listens on addresses and answers from zones. */
export async function openListeners({
  table,
  zones,
  addresses,
  threadCount,
  tls,
  logger,
  settings = {},
  outgoing,
  onNotify,
  onUpdate,
}: ServedFrom &
  Answering & {
    readonly addresses: readonly ListenAddress[]
    readonly threadCount: number
    readonly tls?: TlsParts | undefined
  }): Promise<Listeners> {
  const { readers } = table
  const openReader = () => {
    const { handle, close } = readers.open(zones)
    return { handle: { ...handle, ...settings }, close }
  }
  /** The source of answers that no thread gives. */
  const reader = openReader()
  const responder = openResponder(reader.handle, defect =>
    logger.error({ err: defect }, 'a query could not be answered'),
  )
  const report = (error: unknown) => logger.error({ err: error }, 'a DNS listener failed')
  const onHanded: OnHanded = (request, respond) => {
    if (request.serial === undefined) onUpdate?.(request, respond)
    else outgoing?.answerDatagram(zones, request, respond).catch(report)
  }
  try {
    return await Listeners.open({
      addresses,
      answer: answerFrom(responder, onNotify, onHanded),
      threads: {
        count: threadCount,
        openReader() {
          const reader = openReader()
          // Its counters are written at random, as the table is read.
          void adviseHugePages(reader.handle.counters)
          return reader
        },
      },
      onNotify,
      offerTransfer: outgoing && (wanted => outgoing.offer(zones, wanted)),
      onHanded,
      report,
      onFallback: reason => logger.warn({ reason }, 'answering DNS without threads, so slower'),
      tls: tls && { ...tls, credentials: tls.files.credentials },
      onClosed: () => reader.close(),
    })
  } catch (error) {
    reader.close()
    throw error
  }
}

/** Checks whether the certificate has been renewed in its files, and uses it from then on.
 *  @throws CertificateError it has, but cannot be used; the former stays. */
export async function renewCertificate({
  dns,
  tls,
  logger,
}: {
  readonly dns: Listeners
  readonly tls: TlsParts | undefined
  readonly logger: Logger
}): Promise<void> {
  if (tls === undefined || !(await tls.files.lookAgain())) return
  await dns.renewCertificate(tls.files.credentials)
  logCertificate(logger, tls.files)
}

/** Logs until when a newly served certificate is valid. An expired one is served as well: clients that check it will refuse it,
 *  and the others lose nothing. */
export function logCertificate(logger: Logger, { expiresAt }: CertificateFiles): void {
  const fields = { expiresAt: expiresAt.toISOString() }
  if (expiresAt.getTime() > Date.now()) logger.info(fields, 'DNS over TLS has a certificate')
  else logger.warn(fields, 'the certificate of DNS over TLS has expired')
}

/** Opens the servers of all pools; pools' own listeners do not listen yet. */
export function openPoolServers(
  parts: ServedFrom &
    Answering & {
      readonly store: Store
      /** Returns separate zones for a pool. */
      readonly targetOf: (poolId: string) => TargetZones
    },
): PoolServers {
  const { store, zones: shared, targetOf: createZones } = parts
  const servers: PoolServers = new PoolServers({
    shared,
    createZones,
    openListeners: (zones, address) =>
      openListeners({ ...parts, zones, addresses: [address], threadCount: poolThreadCount }),
    *apexesOf(poolId) {
      for (const zones of servedZonePages(store, poolId)) {
        yield zones.map(({ name }) => parseName(name))
      }
    },
    isOneOfSeveral: store.shared !== undefined,
  })
  for (const pool of store.list('pools', 'all', everything)) {
    servers.add(pool.id, listenAddressesOf(pool))
  }
  return servers
}

/** Follows what other nodes change in pools. */
export function followPools(servers: PoolServers, { rowChanges }: Commit): void {
  for (const { collection, id, after } of rowChanges)
    if (collection === 'pools') servers.follow(id, after && listenAddressesOf(after))
}

/** The name external targets that the pools name. */
export function openExternalTargets({
  store,
  cluster: { duty },
  logger,
  outbound: { externalTargetClient: client, hosts },
}: Pick<CommonParts, 'store' | 'cluster' | 'logger'> & {
  readonly outbound: Outbound
}): ExternalTargets {
  return new ExternalTargets({
    store,
    duty,
    client,
    hosts,
    onUnacknowledged: (zone, server, reason) =>
      logger.warn({ zone: zone.name, peer: server, reason }, 'a NOTIFY was not acknowledged'),
    onBroken: (zone, error) =>
      logger.error({ zone: zone.name, err: error }, 'servers elsewhere could not be asked'),
  })
}

/** The states of this server's parts, for monitoring. */
export function partsOf(parts: {
  readonly config: Pick<Config, 'rateLimit'>
  readonly store: Store
  readonly table: ZoneTable
  readonly dns: Listeners
  readonly tls: TlsParts | undefined
  readonly servers: PoolServers
  readonly scheduler: Scheduler
  /** The writers of usage, which may be read-only at times. */
  readonly usage: readonly Writing[]
}): readonly ServicePart[] {
  const { config, store, table, dns, tls, servers, scheduler, usage } = parts
  const pools = [...store.list('pools', 'all', everything)]
  const [fault] = scheduler.faults
  return [
    { name: 'api', problem: undefined, stats: {} },
    {
      name: 'dns',
      designateNames: ['mdns'],
      problem: undefined,
      ...listening(dns.addresses, udpStats(dns.udpCounters)),
    },
    ...(config.rateLimit === undefined ? [] : [rateLimited(table)]),
    ...overTls(dns, tls),
    ...pools
      .filter(pool => listenAddressesOf(pool).length > 0)
      .map(({ id, name }) => ({
        name: `dns of pool ${name}`,
        problem: servers.problemOf(id),
        ...listening(servers.addressesOf(id)),
      })),
    {
      name: 'store',
      designateNames: ['central'],
      problem: store.readOnlyReason,
      stats: {},
    },
    {
      name: 'usage',
      designateNames: [],
      problem: readOnlyReasonOf(usage),
      stats: {},
    },
    {
      name: 'jobs',
      designateNames: ['producer', 'worker'],
      problem: fault && `${fault[0]}: ${fault[1]}`,
      stats: {},
    },
  ]
}

function udpStats({ receivedCount, sentCount, unsentCount }: UdpCounters) {
  return { udp_received: receivedCount, udp_sent: sentCount, udp_unsent: unsentCount }
}

/** Of all servers that answer from the table. */
function rateLimited({ readers }: ZoneTable): ServicePart {
  const dropped = readers.countOfReaders(readerCounts.dropped)
  const truncated = readers.countOfReaders(readerCounts.truncated)
  return { name: 'response rate limit', problem: undefined, stats: { dropped, truncated } }
}

/** Without `listen`: clients that query a server for its zones do so in the clear. */
function overTls(dns: Listeners, tls: TlsParts | undefined): readonly ServicePart[] {
  const { tlsAddresses, httpsAddresses, tlsCounters } = dns
  if (tlsCounters === undefined) return []
  const { handshakeCount, resumedCount, failedCount, responseCount } = tlsCounters
  const stats = {
    listen: tlsAddresses.map(formatHostPort),
    listen_https: httpsAddresses.map(formatHostPort),
    certificate_expires_at: tls?.files.expiresAt.toISOString(),
    handshakes: handshakeCount,
    resumed: resumedCount,
    failed: failedCount,
    responses: responseCount,
  }
  return [{ name: 'dns over tls', problem: undefined, stats }]
}

function listening(
  listen: readonly ListenAddress[],
  counts: Readonly<Record<string, number>> = {},
): Pick<ServicePart, 'listen' | 'stats'> {
  return { listen, stats: { listen: listen.map(formatHostPort), ...counts } }
}
