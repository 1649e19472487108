import { isIPv4 } from 'node:net'
import { availableParallelism, networkInterfaces } from 'node:os'
import { resolve } from 'node:path'
import type { LogLevel } from '../log.ts'
import { compilePasswordRegex, type PasswordRules } from '../model/password-rules.ts'
import { type ClusterConfig, clusterOf, describeCluster } from './cluster.ts'
import { parseArgs } from './command-line.ts'
import { ConfigError } from './config-error.ts'
import {
  formatListenAddress,
  type ListenAddress,
  overlap,
  parseListenAddress,
  parseListenAddresses,
  parseServers,
} from './listen-address.ts'
import { type Network, parseNetworks } from './network.ts'
import { isSet, parseSetting, readSetting } from './read-setting.ts'
import type { ExtensionV1 } from './settings.ts'
import { parseSettingsFile, readEnvironment, type Source } from './sources.ts'
import { parseTrustedProxies } from './trusted-proxies.ts'
import { withoutUserInfo } from './user-info.ts'

/** The settings as the server uses them. Frozen. */
export type Config = {
  /** Absolute. */
  readonly dataDir: string
  /** The store of several nodes; undefined: that of this process alone. */
  readonly cluster: ClusterConfig | undefined
  readonly apiListen: ListenAddress
  readonly dnsListen: readonly ListenAddress[]
  /** DNS over TLS; undefined: none. */
  readonly dnsTls: DnsTlsConfig | undefined
  /** Of the default pool, absolute, in order; empty: as they are stored. */
  readonly nameServers: readonly string[]
  readonly adminPassword: string | undefined
  readonly adminToken: string | undefined
  /** Without a trailing slash. */
  readonly publicUrl: string | undefined
  /** Addresses, networks and names of networks, as express takes them. */
  readonly trustedProxies: readonly string[]
  readonly passwordRules: PasswordRules
  readonly dnsWorkers: number
  /** Threads for work on whole zones, at most. */
  readonly bulkWorkers: number
  /** Of responses over UDP; undefined: none. */
  readonly rateLimit: RateLimitConfig | undefined
  /** Files of single queries. */
  readonly queryLog: QueryLogConfig
  /** Whether of clients only the network is kept. */
  readonly hidesQueryHosts: boolean
  /** What the server says of itself. */
  readonly dnsIdentity: string | undefined
  readonly dnsVersion: string | undefined
  readonly keySecret: string | undefined
  /** Hexadecimal; empty: made up. */
  readonly dnsCookieSecrets: readonly string[]
  /** Zero: any. */
  readonly minTtlSeconds: number
  /** Where connections are made to although the addresses are private. */
  readonly outboundNetworks: readonly Network[]
  /** As `setServers` of node:dns takes them. */
  readonly aliasResolvers: readonly string[]
  readonly extensionsV1: readonly ExtensionV1[]
  /** Whether administrators have an API over all projects. */
  readonly hasAdminApi: boolean
  /** Whether requests from this machine need no credentials. */
  readonly allowsNoAuth: boolean
  /** The external identity service; undefined: the built-in one. */
  readonly keystone: KeystoneConfig | undefined
  readonly openid: OpenidConfig | undefined
  /** Of the log, beyond what a restart needs. */
  readonly eventHistoryMebibytes: number
  readonly webhookUrls: readonly string[]
  readonly webhookSecret: string | undefined
  readonly usageFlushSeconds: number
  /** Undefined: for ever. */
  readonly usageKeepMonths: number | undefined
  /** Of prices; undefined: it is not named. */
  readonly currency: string | undefined
  /** Digits behind the point that costs are shown with. */
  readonly currencyPlaces: number
  /** By the clock; undefined: none. */
  readonly backup: BackupConfig | undefined
  /** Where metrics have an address of their own; undefined: they are at the API, for administrators. */
  readonly metrics: MetricsConfig | undefined
  readonly logLevel: LogLevel
}

export type BackupConfig = {
  /** Absolute. */
  readonly directory: string
  readonly everyHours: number
  readonly keep: number
}

export type MetricsConfig = { readonly listen: ListenAddress; readonly token: string | undefined }

/** Where single queries are written to, nowhere where it is undefined, and one of how many. */
export type QueryLogConfig = {
  readonly linesPath: string | undefined
  readonly dnstapPath: string | undefined
  readonly sampledOf: number
}

export type RateLimitConfig = {
  /** To one network and of one content. */
  readonly perSecond: number
  readonly windowSeconds: number
  /** 0: no excessive response is sent truncated. */
  readonly slip: number
  readonly exempt: readonly Network[]
}

export type DnsTlsConfig = {
  readonly listen: readonly ListenAddress[]
  /** Of DNS over HTTPS; not both are empty. */
  readonly httpsListen: readonly ListenAddress[]
  /** Absolute, PEM. */
  readonly certificateFile: string
  readonly keyFile: string
  /** Of the authorities of clients; undefined: none. */
  readonly clientCaFile?: string
}

export type KeystoneConfig = {
  /** Without a trailing slash. */
  readonly url: string
  /** As whom to validate tokens; undefined: each validates itself. */
  readonly account: KeystoneAccount | undefined
}

/** A provider that logins can be left to. */
export type OpenidConfig = {
  /** Without a trailing slash. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly rolesClaim: string
}

export type KeystoneAccount = {
  readonly user: string
  readonly password: string
  readonly project: string
  /** Of both user and project. */
  readonly domain: string
}

export type ConfigInput = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The arguments after the program's name. */
  readonly argv: readonly string[]
  readonly readFile: (path: string) => string
  /** What the machine has; asked of the system when not given. */
  readonly machine?: Machine
}

export type Machine = { readonly coreCount: number; readonly hasIpv6: boolean }

/** Builds the one configuration: the environment first, then the file given by `--config`, then defaults.
 *  @throws ConfigError a setting is unknown or not valid, or the file cannot be read */
export function loadConfig(input: ConfigInput): Config {
  const { coreCount, hasIpv6 } = input.machine ?? thisMachine()
  const sources = sourcesOf(input)
  const apiListen = parseSetting('ZONEWRIGHT_API_LISTEN', sources, parseListenAddress)
  const dnsListen = dnsListenOf(sources, { hasIpv6 })
  const dnsTls = dnsTlsOf(sources, dnsListen)
  requireOwnAddress(apiListen, { dnsListen, dnsTls })
  return Object.freeze({
    dataDir: resolve(readSetting('ZONEWRIGHT_DATA_DIR', sources)),
    cluster: clusterOf(sources, input.readFile),
    apiListen,
    dnsListen,
    dnsTls,
    nameServers: parseSetting('ZONEWRIGHT_NAMESERVERS', sources, parseHostNames),
    adminPassword: readSetting('ZONEWRIGHT_ADMIN_PASSWORD', sources),
    adminToken: readSetting('ZONEWRIGHT_ADMIN_TOKEN', sources),
    publicUrl: withoutSlash(readSetting('ZONEWRIGHT_PUBLIC_URL', sources)),
    trustedProxies: parseSetting('ZONEWRIGHT_TRUSTED_PROXIES', sources, parseTrustedProxies),
    passwordRules: passwordRulesOf(sources),
    dnsWorkers: readSetting('ZONEWRIGHT_DNS_WORKERS', sources) ?? Math.max(1, coreCount - 1),
    bulkWorkers: readSetting('ZONEWRIGHT_BULK_WORKERS', sources) ?? Math.max(1, coreCount - 1),
    rateLimit: rateLimitOf(sources),
    queryLog: {
      linesPath: readSetting('ZONEWRIGHT_QUERY_LOG', sources),
      dnstapPath: readSetting('ZONEWRIGHT_DNSTAP', sources),
      sampledOf: readSetting('ZONEWRIGHT_QUERY_LOG_SAMPLE', sources),
    },
    hidesQueryHosts: readSetting('ZONEWRIGHT_QUERY_ADDRESSES', sources) === 'network',
    dnsIdentity: readSetting('ZONEWRIGHT_DNS_IDENTITY', sources),
    dnsVersion: readSetting('ZONEWRIGHT_DNS_VERSION', sources),
    keySecret: readSetting('ZONEWRIGHT_KEY_SECRET', sources),
    dnsCookieSecrets: readSetting('ZONEWRIGHT_DNS_COOKIE_SECRETS', sources),
    minTtlSeconds: readSetting('ZONEWRIGHT_MIN_TTL', sources),
    outboundNetworks: parseSetting('ZONEWRIGHT_OUTBOUND_NETWORKS', sources, parseNetworks),
    aliasResolvers: parseSetting('ZONEWRIGHT_ALIAS_RESOLVERS', sources, parseServers),
    extensionsV1: readSetting('ZONEWRIGHT_EXTENSIONS_V1', sources),
    hasAdminApi: readSetting('ZONEWRIGHT_ADMIN_API', sources) === 'on',
    allowsNoAuth: readSetting('ZONEWRIGHT_AUTH_NONE', sources) === 'on',
    keystone: keystoneOf(sources),
    openid: openidOf(sources),
    eventHistoryMebibytes: readSetting('ZONEWRIGHT_EVENT_HISTORY_MIB', sources),
    webhookUrls: readSetting('ZONEWRIGHT_WEBHOOK_URLS', sources),
    webhookSecret: readSetting('ZONEWRIGHT_WEBHOOK_SECRET', sources),
    usageFlushSeconds: readSetting('ZONEWRIGHT_USAGE_FLUSH_SECONDS', sources),
    usageKeepMonths: readSetting('ZONEWRIGHT_USAGE_KEEP_MONTHS', sources),
    currency: readSetting('ZONEWRIGHT_CURRENCY', sources),
    currencyPlaces: readSetting('ZONEWRIGHT_CURRENCY_PLACES', sources),
    backup: backupOf(sources),
    metrics: metricsOf(sources, apiListen),
    logLevel: readSetting('ZONEWRIGHT_LOG_LEVEL', sources),
  })
}

/** The configuration for the log's first line: all of it, with secrets masked. */
export function describeConfig(config: Config): Record<string, unknown> {
  return {
    ...config,
    cluster: config.cluster && describeCluster(config.cluster),
    apiListen: formatListenAddress(config.apiListen),
    dnsListen: config.dnsListen.map(formatListenAddress),
    dnsTls: config.dnsTls && {
      ...config.dnsTls,
      listen: config.dnsTls.listen.map(formatListenAddress),
      httpsListen: config.dnsTls.httpsListen.map(formatListenAddress),
    },
    keySecret: masked(config.keySecret),
    dnsCookieSecrets: config.dnsCookieSecrets.map(masked),
    adminPassword: masked(config.adminPassword),
    adminToken: masked(config.adminToken),
    publicUrl: config.publicUrl === undefined ? undefined : withoutUserInfo(config.publicUrl),
    keystone: describeKeystone(config.keystone),
    openid: config.openid && {
      ...config.openid,
      clientSecret: masked(config.openid.clientSecret),
    },
    webhookUrls: config.webhookUrls.map(withoutUserInfo),
    webhookSecret: masked(config.webhookSecret),
    metrics: config.metrics && {
      listen: formatListenAddress(config.metrics.listen),
      token: masked(config.metrics.token),
    },
  }
}

function describeKeystone(keystone: KeystoneConfig | undefined) {
  if (keystone?.account === undefined) return keystone
  return {
    ...keystone,
    account: { ...keystone.account, password: masked(keystone.account.password) },
  }
}

/** @throws ConfigError an exemption is no network */
function rateLimitOf(sources: readonly Source[]): RateLimitConfig | undefined {
  const perSecond = readSetting('ZONEWRIGHT_RRL_PER_SECOND', sources)
  const windowSeconds = readSetting('ZONEWRIGHT_RRL_WINDOW_SECONDS', sources)
  const slip = readSetting('ZONEWRIGHT_RRL_SLIP', sources)
  const exempt = parseSetting('ZONEWRIGHT_RRL_EXEMPT', sources, parseNetworks)
  return perSecond === 0 ? undefined : { perSecond, windowSeconds, slip, exempt }
}

/** @throws ConfigError the directory is the store's */
function backupOf(sources: readonly Source[]): BackupConfig | undefined {
  const directory = readSetting('ZONEWRIGHT_BACKUP_DIR', sources)
  const everyHours = readSetting('ZONEWRIGHT_BACKUP_HOURS', sources)
  const keep = readSetting('ZONEWRIGHT_BACKUP_KEEP', sources)
  if (directory === undefined) return undefined
  if (resolve(directory) === resolve(readSetting('ZONEWRIGHT_DATA_DIR', sources)))
    throw new ConfigError('ZONEWRIGHT_BACKUP_DIR cannot be ZONEWRIGHT_DATA_DIR')
  return { directory: resolve(directory), everyHours, keep }
}

/** @throws ConfigError it is no address, or the API's, or there is a token for none */
function metricsOf(sources: readonly Source[], api: ListenAddress): MetricsConfig | undefined {
  const token = readSetting('ZONEWRIGHT_METRICS_TOKEN', sources)
  if (isSet('ZONEWRIGHT_METRICS_LISTEN', sources)) {
    const listen = parseSetting('ZONEWRIGHT_METRICS_LISTEN', sources, (text = '') =>
      parseListenAddress(text),
    )
    if (overlap(listen, api))
      throw new ConfigError(
        `ZONEWRIGHT_METRICS_LISTEN and ZONEWRIGHT_API_LISTEN both have ${formatListenAddress(api)}; each needs a port of its own`,
      )
    return { listen, token }
  }
  if (token !== undefined)
    throw new ConfigError('ZONEWRIGHT_METRICS_TOKEN needs ZONEWRIGHT_METRICS_LISTEN')
  return undefined
}

/** @throws ConfigError a user without a password, or what only matters with an external Keystone */
function keystoneOf(sources: readonly Source[]): KeystoneConfig | undefined {
  const url = withoutSlash(readSetting('ZONEWRIGHT_KEYSTONE_URL', sources))
  const user = readSetting('ZONEWRIGHT_KEYSTONE_USER', sources)
  const password = readSetting('ZONEWRIGHT_KEYSTONE_PASSWORD', sources)
  const project = readSetting('ZONEWRIGHT_KEYSTONE_PROJECT', sources)
  const domain = readSetting('ZONEWRIGHT_KEYSTONE_DOMAIN', sources)
  if ((user === undefined) !== (password === undefined))
    throw new ConfigError(
      'ZONEWRIGHT_KEYSTONE_USER and ZONEWRIGHT_KEYSTONE_PASSWORD must be set together',
    )
  if (url === undefined && user !== undefined)
    throw new ConfigError('ZONEWRIGHT_KEYSTONE_USER needs ZONEWRIGHT_KEYSTONE_URL')
  if (url === undefined) return undefined
  if (user === undefined || password === undefined) return { url, account: undefined }
  return { url, account: { user, password, project, domain } }
}

/** Without effect with an external Keystone, which says who is who. */
function openidOf(sources: readonly Source[]): OpenidConfig | undefined {
  const issuer = withoutSlash(readSetting('ZONEWRIGHT_OPENID_ISSUER', sources))
  if (issuer === undefined) return undefined
  return {
    issuer,
    clientId: readSetting('ZONEWRIGHT_OPENID_CLIENT_ID', sources),
    clientSecret: readSetting('ZONEWRIGHT_OPENID_CLIENT_SECRET', sources),
    rolesClaim: readSetting('ZONEWRIGHT_OPENID_ROLES_CLAIM', sources),
  }
}

/** @throws ConfigError the regular expression is none, or a description is without one */
function passwordRulesOf(sources: readonly Source[]): PasswordRules {
  const minLength = readSetting('ZONEWRIGHT_PASSWORD_MIN_LENGTH', sources)
  const regex = readSetting('ZONEWRIGHT_PASSWORD_REGEX', sources)
  const description = readSetting('ZONEWRIGHT_PASSWORD_REGEX_DESCRIPTION', sources)
  if (regex === undefined && description !== undefined)
    throw new ConfigError('ZONEWRIGHT_PASSWORD_REGEX_DESCRIPTION needs ZONEWRIGHT_PASSWORD_REGEX')
  const { problem } = compilePasswordRegex(regex ?? '')
  if (problem !== undefined)
    throw new ConfigError(`ZONEWRIGHT_PASSWORD_REGEX cannot be used: ${problem}`)
  return { minLength, regex, description }
}

/** The default must do on every machine, also in a container without IPv6. What somebody asked for is not
 *  second-guessed: an address that cannot be had then stops the start. */
function dnsListenOf(
  sources: readonly Source[],
  { hasIpv6 }: { readonly hasIpv6: boolean },
): readonly ListenAddress[] {
  const name = 'ZONEWRIGHT_DNS_LISTEN'
  const addresses = parseSetting(name, sources, parseListenAddresses)
  if (hasIpv6 || isSet(name, sources)) return addresses
  return addresses.filter(({ host }) => isIPv4(host))
}

/** @throws ConfigError some of what belongs together is missing, or an address is already that of another protocol */
function dnsTlsOf(
  sources: readonly Source[],
  plain: readonly ListenAddress[],
): DnsTlsConfig | undefined {
  const listen = parseSetting('ZONEWRIGHT_DNS_TLS_LISTEN', sources, parseListenAddresses)
  const httpsListen = parseSetting('ZONEWRIGHT_DNS_HTTPS_LISTEN', sources, parseListenAddresses)
  const isListening = listen.length + httpsListen.length > 0
  const certificateFile = readSetting('ZONEWRIGHT_DNS_TLS_CERT', sources)
  const keyFile = readSetting('ZONEWRIGHT_DNS_TLS_KEY', sources)
  const clientCaFile = readSetting('ZONEWRIGHT_DNS_TLS_CLIENT_CA', sources)
  const given = [certificateFile, keyFile, clientCaFile]
  if (!isListening && given.every(file => file === undefined)) return undefined
  if (!isListening) throw incompleteTls('ZONEWRIGHT_DNS_TLS_LISTEN')
  if (certificateFile === undefined) throw incompleteTls('ZONEWRIGHT_DNS_TLS_CERT')
  if (keyFile === undefined) throw incompleteTls('ZONEWRIGHT_DNS_TLS_KEY')
  const dns = ['ZONEWRIGHT_DNS_LISTEN', plain] as const
  const tls = ['ZONEWRIGHT_DNS_TLS_LISTEN', listen] as const
  const https = ['ZONEWRIGHT_DNS_HTTPS_LISTEN', httpsListen] as const
  requireApart(tls, dns, 'the port of DNS over TLS is 853')
  requireApart(https, dns, 'the port of DNS over HTTPS is 443')
  requireApart(https, tls, 'the port of DNS over HTTPS is 443')
  return {
    listen,
    httpsListen,
    certificateFile: resolve(certificateFile),
    keyFile: resolve(keyFile),
    ...(clientCaFile !== undefined && { clientCaFile: resolve(clientCaFile) }),
  }
}

type SetAddresses = readonly [setting: string, addresses: readonly ListenAddress[]]

/** @throws ConfigError an address is in both */
function requireApart([setting, own]: SetAddresses, [other, theirs]: SetAddresses, advice: string) {
  const shared = own.find(address => theirs.some(their => overlap(address, their)))
  if (shared === undefined) return
  throw new ConfigError(
    `${setting} and ${other} both have ${formatListenAddress(shared)}; ${advice}`,
  )
}

/** The API over `[::]` has the IPv4 addresses as well.
 *  @throws ConfigError the name server has the address of the API */
function requireOwnAddress(
  api: ListenAddress,
  { dnsListen, dnsTls }: Pick<Config, 'dnsListen' | 'dnsTls'>,
): void {
  const own = api.host === '::' ? [api, { ...api, host: '0.0.0.0' }] : [api]
  const others = {
    ZONEWRIGHT_DNS_LISTEN: dnsListen,
    ZONEWRIGHT_DNS_TLS_LISTEN: dnsTls?.listen ?? [],
    ZONEWRIGHT_DNS_HTTPS_LISTEN: dnsTls?.httpsListen ?? [],
  }
  for (const [setting, addresses] of Object.entries(others)) {
    const shared = addresses.find(address => own.some(ours => overlap(ours, address)))
    if (shared !== undefined) {
      throw new ConfigError(
        `ZONEWRIGHT_API_LISTEN and ${setting} both have ${formatListenAddress(shared)}; each needs a port of its own`,
      )
    }
  }
}

function incompleteTls(missing: string): ConfigError {
  return new ConfigError(
    'ZONEWRIGHT_DNS_TLS_LISTEN or ZONEWRIGHT_DNS_HTTPS_LISTEN, ZONEWRIGHT_DNS_TLS_CERT and ZONEWRIGHT_DNS_TLS_KEY ' +
      'must be set together; ' +
      `${missing} is missing`,
  )
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

/** Host names with their final dots; undefined where one is there twice. */
function parseHostNames(names: readonly string[]): readonly string[] | undefined {
  const absolute = names.map(name => (name.endsWith('.') ? name : `${name}.`))
  const isUnique = new Set(absolute.map(name => name.toLowerCase())).size === names.length
  return isUnique ? absolute : undefined
}

function withoutSlash(url: string | undefined): string | undefined {
  return url?.replace(/\/+$/, '')
}

function masked(secret: string | undefined): string | undefined {
  return secret === undefined ? undefined : '[secret]'
}
