import type { TSchema } from 'typebox'
import { logLevels } from '../log.ts'

/** One setting. */
export type Setting = {
  /** The schema of the value; a list or a number is text in the environment. It is written out, since the start waits for
   *  settings: the library that generates schemas elsewhere takes a tenth of a second to load. */
  readonly schema: TSchema
  /** The default, as text in the environment. */
  readonly fallback?: string
  /** The end of "must be …". */
  readonly expects: string
  /** What it does, for the command `settings`. */
  readonly meaning: string
  /** The value is never shown. */
  readonly isSecret?: true
}

const text = { type: 'string', minLength: 1 } as const
const shortText = { type: 'string', pattern: '^[\\x20-\\x7e]+$', maxLength: 255 } as const
const httpUrl = { type: 'string', pattern: '^https?://[^/?#\\s]+(?:/[^?#\\s]*)?$' } as const
/** A user name and password before the host are refused: they would never be sent. */
const plainHttpUrl = { type: 'string', pattern: '^https?://[^/?#@\\s]+(?:/[^?#\\s]*)?$' } as const
const label = '[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?'
const hostName = {
  type: 'string',
  pattern: `^${label}(?:\\.${label})+\\.?$`,
  maxLength: 254,
} as const
/** Parts of the v1 API that an operator may turn off. */
const extensionsV1 = ['quotas', 'touch', 'sync', 'reports', 'diagnostics'] as const

const onOrOff = { schema: { enum: ['on', 'off'] }, fallback: 'off', expects: 'on or off' } as const

/** A secret that travels in a header. */
const headerToken = {
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]+$' },
  expects: 'visible ASCII characters without spaces',
  isSecret: true,
} as const

function wholeNumber(minimum: number, maximum: number, unit?: string) {
  const what = unit === undefined ? 'a whole number' : `a whole number of ${unit}`
  const expects = `${what} from ${minimum} to ${maximum}`
  return { schema: { type: 'integer', minimum, maximum }, expects } as const
}

function listOf<const Items extends TSchema>(items: Items, maxItems: number) {
  return { type: 'array', items, maxItems, uniqueItems: true } as const
}

const address = 'an IP address and a port, such as 127.0.0.1:9001 or [::1]:9001'

/** All settings. They are few: a value that only one deployment would ever change is a constant. A new setting needs changes
 *  in this table, in `loadConfig`, and where it is used. */
export const settings = {
  ZONEWRIGHT_DATA_DIR: {
    schema: text,
    fallback: './data',
    expects: 'a directory',
    meaning: 'where the store lives; created for its owner only',
  },
  ZONEWRIGHT_STORE_URL: {
    schema: listOf({ type: 'string', pattern: '^postgres(?:ql)?://' }, 8),
    fallback: '',
    expects: 'one or several URLs such as postgres://user@host/database?sslmode=verify-full',
    meaning:
      'the PostgreSQL that several nodes share: all servers that may accept writes, separated by commas; if unset, the store belongs to this process alone',
    isSecret: true,
  },
  ZONEWRIGHT_STORE_PASSWORD_FILE: {
    schema: text,
    expects: 'a file',
    meaning: 'file with the password for PostgreSQL, where the URLs have none',
  },
  ZONEWRIGHT_STORE_LOSSY: {
    ...onOrOff,
    meaning:
      'whether a PostgreSQL without a synchronous standby is accepted, which may lose acknowledged changes',
  },
  ZONEWRIGHT_NODE: {
    schema: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$' },
    expects: 'up to 63 letters, digits, dots, hyphens and underscores',
    meaning: 'name of this node among those that share a store; the name of the machine if unset',
  },
  ZONEWRIGHT_NODE_URL: {
    schema: plainHttpUrl,
    expects: 'an http or https URL without user and query',
    meaning: 'where the other nodes reach the API of this one; its address if unset',
  },
  ZONEWRIGHT_API_LISTEN: {
    schema: text,
    // Not reachable from elsewhere unless an operator decides so: it speaks HTTP, which carries passwords in the clear.
    fallback: '127.0.0.1:9001',
    expects: address,
    meaning: 'address of the REST API',
  },
  ZONEWRIGHT_DNS_LISTEN: {
    schema: { type: 'array', items: text, minItems: 1, maxItems: 64, uniqueItems: true },
    // Port 53 requires a privilege that a first try should not need.
    fallback: '127.0.0.1:5300,[::1]:5300',
    expects: 'one to 64 IP addresses with ports, such as 127.0.0.1:5300,[::1]:5300',
    meaning: 'addresses of the name server, UDP and TCP, separated by commas',
  },
  ZONEWRIGHT_DNS_TLS_LISTEN: {
    schema: listOf(text, 64),
    fallback: '',
    expects: 'up to 64 IP addresses with ports, such as 0.0.0.0:853,[::]:853',
    meaning: 'addresses where the name server answers over TLS, separated by commas; none if unset',
  },
  ZONEWRIGHT_DNS_HTTPS_LISTEN: {
    schema: listOf(text, 64),
    fallback: '',
    expects: 'up to 64 IP addresses with ports, such as 0.0.0.0:443,[::]:443',
    meaning:
      'addresses where the name server answers over HTTPS, at /dns-query, separated by commas; none if unset',
  },
  ZONEWRIGHT_DNS_TLS_CERT: {
    schema: text,
    expects: 'a file',
    meaning:
      'certificate for TLS and HTTPS in PEM, with its chain; checked every minute, so it can be renewed',
  },
  ZONEWRIGHT_DNS_TLS_KEY: {
    schema: text,
    expects: 'a file',
    meaning: 'private key of that certificate, in PEM without a passphrase',
  },
  ZONEWRIGHT_DNS_TLS_CLIENT_CA: {
    schema: text,
    expects: 'a file',
    meaning:
      'certificates, in PEM, of the authorities whose certificates clients may present for transfers over TLS; none if unset',
  },
  ZONEWRIGHT_NAMESERVERS: {
    schema: listOf(hostName, 10),
    fallback: '',
    expects: 'up to 10 different host names, such as ns1.example.net.,ns2.example.net.',
    meaning:
      'name servers of the default pool, the primary first; applied when set or changed, the API may change them afterwards',
  },
  ZONEWRIGHT_ADMIN_PASSWORD: {
    schema: text,
    expects: 'a text',
    meaning:
      'password of the user "admin"; generated at the first start if unset, and kept in initial-admin-password of the data directory',
    isSecret: true,
  },
  ZONEWRIGHT_PASSWORD_MIN_LENGTH: {
    ...wholeNumber(1, 128),
    fallback: '8',
    meaning: 'the least number of characters of a new password; existing ones stay valid',
  },
  ZONEWRIGHT_PASSWORD_REGEX: {
    schema: text,
    expects: 'a regular expression; of lookarounds only lookaheads, and these at its beginning',
    meaning: "what a new password must match from its beginning, as Keystone's password_regex",
  },
  ZONEWRIGHT_PASSWORD_REGEX_DESCRIPTION: {
    schema: text,
    expects: 'a text',
    meaning: 'shown to users whose new password does not match it',
  },
  ZONEWRIGHT_ADMIN_TOKEN: {
    ...headerToken,
    meaning: 'a token that is always the admin, for scripts; none if unset',
  },
  ZONEWRIGHT_PUBLIC_URL: {
    schema: httpUrl,
    expects: 'an http or https URL without query',
    meaning: 'base of the links in responses; taken from the Host header if unset',
  },
  ZONEWRIGHT_TRUSTED_PROXIES: {
    schema: listOf(text, 64),
    fallback: '',
    expects: 'IP addresses, networks such as 192.0.2.0/24, or loopback, linklocal, uniquelocal',
    meaning:
      'proxies whose X-Forwarded-For says where a request comes from, separated by commas; none if unset',
  },
  ZONEWRIGHT_DNS_WORKERS: {
    ...wholeNumber(1, 256),
    meaning: 'threads that answer queries; one less than there are cores if unset',
  },
  ZONEWRIGHT_BULK_WORKERS: {
    ...wholeNumber(1, 64),
    meaning:
      'threads that read large zone files and transfers, started when needed; one less than there are cores if unset',
  },
  ZONEWRIGHT_RRL_PER_SECOND: {
    ...wholeNumber(0, 100_000),
    // The right limit depends on the clients: a resolver with many users asks for a name more often than another.
    fallback: '0',
    meaning:
      'how often a second one client network (/24 or /56) is sent the same answer over UDP; 0: no limit',
  },
  ZONEWRIGHT_RRL_WINDOW_SECONDS: {
    ...wholeNumber(1, 3600, 'seconds'),
    fallback: '15',
    meaning:
      'for how many seconds at most a network that keeps exceeding the limit has to be quiet',
  },
  ZONEWRIGHT_RRL_SLIP: {
    ...wholeNumber(0, 10),
    fallback: '2',
    meaning:
      'of the answers above the limit, every second, third … is sent truncated, so that clients use TCP; 0: none',
  },
  ZONEWRIGHT_RRL_EXEMPT: {
    schema: listOf(text, 256),
    fallback: '',
    expects: 'up to 256 networks, such as 192.0.2.0/24,2001:db8::/32',
    meaning: 'networks whose clients are always answered, separated by commas',
  },
  ZONEWRIGHT_DNS_IDENTITY: {
    schema: shortText,
    expects: 'up to 255 visible ASCII characters and spaces',
    meaning: 'what NSID, id.server and hostname.bind answer; nothing if unset',
  },
  ZONEWRIGHT_DNS_VERSION: {
    schema: shortText,
    expects: 'up to 255 visible ASCII characters and spaces',
    meaning: 'what version.bind and version.server answer; nothing if unset',
  },
  ZONEWRIGHT_KEY_SECRET: {
    schema: text,
    expects: 'any text',
    meaning:
      'secret that seals the private keys of signed zones in the data directory; without it they are not sealed',
    isSecret: true,
  },
  ZONEWRIGHT_DNS_COOKIE_SECRETS: {
    schema: listOf({ type: 'string', pattern: '^[0-9A-Fa-f]{32}$' }, 4),
    fallback: '',
    expects: 'up to four numbers of 32 hexadecimal digits',
    meaning:
      'secrets of DNS cookies, the same on all servers behind one address: the first makes cookies, all are accepted; generated at each start if unset',
    isSecret: true,
  },
  ZONEWRIGHT_MIN_TTL: {
    ...wholeNumber(0, 2_147_483_647, 'seconds'),
    // ACME clients publish their challenges with TTLs of a few seconds.
    fallback: '0',
    meaning: 'the least TTL that zones and recordsets may have, administrators excepted',
  },
  ZONEWRIGHT_EXTENSIONS_V1: {
    schema: { type: 'array', items: { enum: extensionsV1 }, uniqueItems: true },
    fallback: 'quotas',
    expects: `empty, or any of ${extensionsV1.join(', ')}`,
    meaning: 'extensions of the v1 API that are on, separated by commas',
  },
  ZONEWRIGHT_ADMIN_API: {
    // Off as in Designate: an operator who needs it turns it on.
    ...onOrOff,
    meaning: 'whether there is an API over all projects, for administrators, under /admin',
  },
  ZONEWRIGHT_AUTH_NONE: {
    ...onOrOff,
    meaning: 'whether callers of the API from this machine are the admin without logging in',
  },
  ZONEWRIGHT_KEYSTONE_URL: {
    schema: plainHttpUrl,
    expects: 'an http or https URL without user and query',
    meaning: 'an external Keystone that validates tokens; the built-in one if unset',
  },
  ZONEWRIGHT_KEYSTONE_USER: {
    schema: text,
    expects: 'a text',
    meaning: 'user to validate tokens as; each token validates itself if unset',
  },
  ZONEWRIGHT_KEYSTONE_PASSWORD: {
    schema: text,
    expects: 'a text',
    meaning: 'password of that user',
    isSecret: true,
  },
  ZONEWRIGHT_KEYSTONE_PROJECT: {
    schema: text,
    fallback: 'service',
    expects: 'a text',
    meaning: 'project of that user',
  },
  ZONEWRIGHT_KEYSTONE_DOMAIN: {
    schema: text,
    fallback: 'Default',
    expects: 'a text',
    meaning: 'domain of that user and its project',
  },
  ZONEWRIGHT_OPENID_ISSUER: {
    schema: plainHttpUrl,
    expects: 'an http or https URL without user and query',
    meaning: 'OpenID provider for logins at the console; none if unset',
  },
  ZONEWRIGHT_OPENID_CLIENT_ID: {
    schema: shortText,
    fallback: 'zonewright',
    expects: 'a text of up to 255 characters',
    meaning: 'client id of this server at that provider',
  },
  ZONEWRIGHT_OPENID_CLIENT_SECRET: {
    schema: text,
    expects: 'a text',
    meaning: 'secret of that client; a public client if unset',
    isSecret: true,
  },
  ZONEWRIGHT_OPENID_ROLES_CLAIM: {
    schema: shortText,
    fallback: 'zonewright_roles',
    expects: 'the name of a claim; dots lead into objects, or are part of it',
    meaning: 'claim of its tokens that lists roles as project:role',
  },
  ZONEWRIGHT_OUTBOUND_NETWORKS: {
    schema: listOf(text, 256),
    fallback: '',
    expects: 'up to 256 networks, such as 10.1.0.0/16,2001:db8::/32',
    meaning:
      'private networks that masters set by members, and names in pools and webhooks, may be in, separated by commas',
  },
  ZONEWRIGHT_ALIAS_RESOLVERS: {
    schema: listOf(text, 8),
    fallback: '',
    expects: 'up to 8 addresses, such as 192.0.2.53,[2001:db8::53]:5353',
    meaning:
      'resolvers for the targets of ALIAS recordsets, separated by commas; projects see what these answer',
  },
  ZONEWRIGHT_EVENT_HISTORY_MIB: {
    ...wholeNumber(0, 1_048_576, 'MiB'),
    // A hundred thousand changes or so.
    fallback: '64',
    meaning:
      'how much of the log is kept for the history of zones, for IXFR and for event streams that are resumed',
  },
  ZONEWRIGHT_WEBHOOK_URLS: {
    schema: listOf(httpUrl, 16),
    fallback: '',
    expects: 'up to 16 http or https URLs without query',
    meaning: 'addresses that every change is posted to, separated by commas',
  },
  ZONEWRIGHT_WEBHOOK_SECRET: {
    schema: text,
    expects: 'a text',
    meaning: 'key of the signature (HMAC-SHA256) that webhooks carry; unsigned if unset',
    isSecret: true,
  },
  ZONEWRIGHT_USAGE_FLUSH_SECONDS: {
    // Flushes are at round times, so that one happens at the turn of each hour.
    schema: { type: 'integer', enum: [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30] },
    fallback: '10',
    expects: 'a whole number of seconds from 1 to 30 that divides a minute',
    meaning:
      'how often metered usage is made durable; a crash loses at most what was metered since',
  },
  ZONEWRIGHT_USAGE_KEEP_MONTHS: {
    ...wholeNumber(1, 1200, 'months'),
    meaning: 'for how many months before the current one usage is kept; for ever if unset',
  },
  ZONEWRIGHT_CURRENCY: {
    schema: { type: 'string', pattern: '^[A-Z]{3}$' },
    expects: 'three letters (ISO 4217), such as EUR',
    meaning: 'the currency of prices, as invoices name it; not named if unset',
  },
  ZONEWRIGHT_CURRENCY_PLACES: {
    ...wholeNumber(0, 28, 'digits'),
    // As of most currencies.
    fallback: '2',
    meaning: 'digits after the point that costs are shown with; they are kept and computed exactly',
  },
  ZONEWRIGHT_BACKUP_DIR: {
    schema: text,
    expects: 'a directory',
    meaning: 'where scheduled backups are written, with all secrets in them; none if unset',
  },
  ZONEWRIGHT_BACKUP_HOURS: {
    ...wholeNumber(1, 720, 'hours'),
    fallback: '24',
    meaning: 'how often a backup is written there',
  },
  ZONEWRIGHT_BACKUP_KEEP: {
    ...wholeNumber(1, 1000),
    fallback: '7',
    meaning: 'how many backups are kept there; older ones are removed',
  },
  ZONEWRIGHT_METRICS_LISTEN: {
    schema: text,
    expects: address,
    meaning:
      'address where metrics are served without logging in; at the API, for administrators, if unset',
  },
  ZONEWRIGHT_METRICS_TOKEN: {
    ...headerToken,
    meaning: 'bearer token that the metrics on that address require; none if unset',
  },
  ZONEWRIGHT_QUERY_LOG: {
    schema: text,
    expects: 'a path',
    meaning: 'file that queries are written to as lines of JSON; none if unset',
  },
  ZONEWRIGHT_DNSTAP: {
    schema: text,
    expects: 'a path, or unix: and the path of a socket',
    meaning:
      'file, or unix socket of a reader, that queries and responses are written to as dnstap; none if unset',
  },
  ZONEWRIGHT_QUERY_LOG_SAMPLE: {
    schema: { type: 'integer', minimum: 0, maximum: 1_000_000 },
    fallback: '1',
    expects: 'a whole number, 0 to 1000000',
    meaning: 'one query in so many is written there; 0: only what rules of the query log select',
  },
  ZONEWRIGHT_QUERY_ADDRESSES: {
    schema: { enum: ['full', 'network'] },
    fallback: 'full',
    expects: 'full or network',
    meaning:
      'what is kept of client addresses where single queries are kept; network: /24, and /48 of IPv6',
  },
  ZONEWRIGHT_LOG_LEVEL: {
    schema: { enum: logLevels },
    fallback: 'info',
    expects: `one of ${logLevels.join(', ')}`,
    meaning: 'how much is logged',
  },
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof settings

export type ExtensionV1 = (typeof extensionsV1)[number]

export const settingNames = Object.keys(settings) as readonly SettingName[]
