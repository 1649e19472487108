import { availableParallelism, networkInterfaces } from 'node:os'
import { resolve } from 'node:path'
import { formatHostPort } from '../host-port.ts'
import { parseNetworks } from '../model/network.ts'
import { clusterOf } from './cluster.ts'
import { parseArgs } from './command-line.ts'
import { ConfigError } from './config-error.ts'
import { type ListenAddress, overlap, parseListenAddress, parseServers } from './listen-address.ts'
import { keystoneOf, openidOf, passwordRulesOf } from './logins.ts'
import { dnsListenOf, dnsTlsOf, rateLimitOf, requireOwnAddress } from './name-server.ts'
import { isSet, parseSetting, readSetting } from './read-setting.ts'
import { parseSettingsFile, readEnvironment, type Source } from './sources.ts'
import { parseTrustedProxies } from './trusted-proxies.ts'
import { withoutSlash } from './url.ts'

/** The settings as the server uses them. Frozen. */
export type Config = ReturnType<typeof loadConfig>

export type ConfigInput = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The arguments after the program's name. */
  readonly argv: readonly string[]
  readonly readFile: (path: string) => string
  /** The resources of the machine; taken from the system if not given. */
  readonly machine?: Machine
}

type Machine = { readonly coreCount: number; readonly hasIpv6: boolean }

/** Builds the one configuration: the environment first, then the file given by `--config`, then defaults.
 *  @throws ConfigError a setting is unknown or not valid, or the file cannot be read */
export function loadConfig(input: ConfigInput) {
  const { coreCount, hasIpv6 } = input.machine ?? thisMachine()
  const sources = sourcesOf(input)
  const apiListen = parseSetting('ZONEWRIGHT_API_LISTEN', sources, parseListenAddress)
  const dnsListen = dnsListenOf(sources, { hasIpv6 })
  const dnsTls = dnsTlsOf(sources, dnsListen)
  requireOwnAddress(apiListen, { dnsListen, dnsTls })
  return Object.freeze({
    /** Absolute. */
    dataDir: resolve(readSetting('ZONEWRIGHT_DATA_DIR', sources)),
    /** The store shared by several nodes; undefined: the store of this process alone. */
    cluster: clusterOf(sources, input.readFile),
    apiListen,
    dnsListen,
    /** DNS over TLS; undefined: none. */
    dnsTls,
    /** Of the default pool, absolute, in order; empty: the stored ones stay. */
    nameServers: parseSetting('ZONEWRIGHT_NAMESERVERS', sources, parseHostNames),
    adminPassword: readSetting('ZONEWRIGHT_ADMIN_PASSWORD', sources),
    adminToken: readSetting('ZONEWRIGHT_ADMIN_TOKEN', sources),
    /** Without a trailing slash. */
    publicUrl: withoutSlash(readSetting('ZONEWRIGHT_PUBLIC_URL', sources)),
    /** Addresses, networks and names of networks, in the form of express. */
    trustedProxies: parseSetting('ZONEWRIGHT_TRUSTED_PROXIES', sources, parseTrustedProxies),
    passwordRules: passwordRulesOf(sources),
    dnsWorkers: readSetting('ZONEWRIGHT_DNS_WORKERS', sources) ?? Math.max(1, coreCount - 1),
    /** The most threads for work on whole zones. */
    bulkWorkers: readSetting('ZONEWRIGHT_BULK_WORKERS', sources) ?? Math.max(1, coreCount - 1),
    /** Of responses over UDP; undefined: none. */
    rateLimit: rateLimitOf(sources),
    queryLog: queryLogOf(sources),
    /** Whether only the network of a DNS client is kept, not its address. */
    hidesQueryHosts: readSetting('ZONEWRIGHT_QUERY_ADDRESSES', sources) === 'network',
    /** The identity that DNS answers give of the server. */
    dnsIdentity: readSetting('ZONEWRIGHT_DNS_IDENTITY', sources),
    dnsVersion: readSetting('ZONEWRIGHT_DNS_VERSION', sources),
    keySecret: readSetting('ZONEWRIGHT_KEY_SECRET', sources),
    /** Hexadecimal; empty: generated. */
    dnsCookieSecrets: readSetting('ZONEWRIGHT_DNS_COOKIE_SECRETS', sources),
    /** Zero: any. */
    minTtlSeconds: readSetting('ZONEWRIGHT_MIN_TTL', sources),
    /** Networks that connections may be made to although their addresses are private. */
    outboundNetworks: parseSetting('ZONEWRIGHT_OUTBOUND_NETWORKS', sources, parseNetworks),
    /** As `setServers` of node:dns takes them. */
    aliasResolvers: parseSetting('ZONEWRIGHT_ALIAS_RESOLVERS', sources, parseServers),
    extensionsV1: readSetting('ZONEWRIGHT_EXTENSIONS_V1', sources),
    /** Whether there is an API over all projects for administrators. */
    hasAdminApi: readSetting('ZONEWRIGHT_ADMIN_API', sources) === 'on',
    /** Whether requests from this machine need no credentials. */
    allowsNoAuth: readSetting('ZONEWRIGHT_AUTH_NONE', sources) === 'on',
    /** The external identity service; undefined: the built-in one. */
    keystone: keystoneOf(sources),
    openid: openidOf(sources),
    /** Of the log, beyond what a restart needs. */
    eventHistoryMebibytes: readSetting('ZONEWRIGHT_EVENT_HISTORY_MIB', sources),
    webhookUrls: readSetting('ZONEWRIGHT_WEBHOOK_URLS', sources),
    webhookSecret: readSetting('ZONEWRIGHT_WEBHOOK_SECRET', sources),
    usageFlushSeconds: readSetting('ZONEWRIGHT_USAGE_FLUSH_SECONDS', sources),
    /** Undefined: for ever. */
    usageKeepMonths: readSetting('ZONEWRIGHT_USAGE_KEEP_MONTHS', sources),
    /** Of prices; undefined: no currency is shown. */
    currency: readSetting('ZONEWRIGHT_CURRENCY', sources),
    /** Decimal places of displayed costs. */
    currencyPlaces: readSetting('ZONEWRIGHT_CURRENCY_PLACES', sources),
    /** Scheduled backups; undefined: none. */
    backup: backupOf(sources),
    /** A separate address for metrics; undefined: they are part of the API, for administrators. */
    metrics: metricsOf(sources, apiListen),
    logLevel: readSetting('ZONEWRIGHT_LOG_LEVEL', sources),
  })
}

/** Where single queries are written to, undefined for nowhere, and the sampling: one of how many.
 *  @throws ConfigError both kinds have one file */
function queryLogOf(sources: readonly Source[]) {
  const linesPath = readSetting('ZONEWRIGHT_QUERY_LOG', sources)
  const dnstapPath = readSetting('ZONEWRIGHT_DNSTAP', sources)
  if (linesPath && dnstapPath && resolve(linesPath) === resolve(dnstapPath))
    throw new ConfigError('ZONEWRIGHT_QUERY_LOG and ZONEWRIGHT_DNSTAP cannot be the same file')
  return { linesPath, dnstapPath, sampledOf: readSetting('ZONEWRIGHT_QUERY_LOG_SAMPLE', sources) }
}

/** @throws ConfigError the directory is the store's */
function backupOf(sources: readonly Source[]) {
  const directory = readSetting('ZONEWRIGHT_BACKUP_DIR', sources)
  const everyHours = readSetting('ZONEWRIGHT_BACKUP_HOURS', sources)
  const keep = readSetting('ZONEWRIGHT_BACKUP_KEEP', sources)
  if (directory === undefined) return undefined
  if (resolve(directory) === resolve(readSetting('ZONEWRIGHT_DATA_DIR', sources)))
    throw new ConfigError('ZONEWRIGHT_BACKUP_DIR cannot be ZONEWRIGHT_DATA_DIR')
  return { directory: resolve(directory), everyHours, keep }
}

/** @throws ConfigError it is no address, or the API's, or a token is set without an address */
function metricsOf(sources: readonly Source[], api: ListenAddress) {
  const token = readSetting('ZONEWRIGHT_METRICS_TOKEN', sources)
  if (isSet('ZONEWRIGHT_METRICS_LISTEN', sources)) {
    const listen = parseSetting('ZONEWRIGHT_METRICS_LISTEN', sources, (text = '') =>
      parseListenAddress(text),
    )
    if (overlap(listen, api))
      throw new ConfigError(
        `ZONEWRIGHT_METRICS_LISTEN and ZONEWRIGHT_API_LISTEN both have ${formatHostPort(api)}; each needs a port of its own`,
      )
    return { listen, token }
  }
  if (token !== undefined)
    throw new ConfigError('ZONEWRIGHT_METRICS_TOKEN needs ZONEWRIGHT_METRICS_LISTEN')
  return undefined
}

function thisMachine(): Machine {
  const addresses = Object.values(networkInterfaces()).flatMap(list => list ?? [])
  return {
    coreCount: availableParallelism(),
    hasIpv6: addresses.some(({ family }) => family === 'IPv6'),
  }
}

function sourcesOf({ environment, argv, readFile }: ConfigInput): readonly Source[] {
  const command = parseArgs(argv)
  const path = 'configPath' in command ? command.configPath : undefined
  const fromEnvironment = readEnvironment(environment)
  if (path === undefined) return [fromEnvironment]
  return [fromEnvironment, parseSettingsFile(path, contentOf(path, readFile))]
}

function contentOf(path: string, readFile: ConfigInput['readFile']): string {
  try {
    return readFile(path)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigError(`cannot read the settings file ${path}: ${reason}`, { cause })
  }
}

/** Host names with their final dots; undefined where one is listed twice. */
function parseHostNames(names: readonly string[]): readonly string[] | undefined {
  const absolute = names.map(name => (name.endsWith('.') ? name : `${name}.`))
  const isUnique = new Set(absolute.map(name => name.toLowerCase())).size === names.length
  return isUnique ? absolute : undefined
}
