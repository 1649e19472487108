import { resolve } from 'node:path'
import t from 'tap'
import { type ConfigInput, loadConfig } from '../../src/config/config.ts'
import { describeConfig } from '../../src/config/describe-config.ts'
import { type SettingName, settingNames } from '../../src/config/settings.ts'

type Given = {
  readonly environment?: Record<string, string>
  /** Content of the file that `--config` then names. */
  readonly file?: string
  readonly machine?: ConfigInput['machine']
}

const storePasswordFile = '/run/secrets/store'

function load({ environment = {}, file, machine = { coreCount: 4, hasIpv6: true } }: Given) {
  const argv = file === undefined ? [] : ['--config', 'settings.json']
  return loadConfig({
    environment,
    argv,
    readFile: path => (path === storePasswordFile ? 'from a file\n' : (file ?? '')),
    machine,
  })
}

t.test('without any setting the defaults hold', async t => {
  t.strictSame(load({}), {
    dataDir: resolve('data'),
    cluster: undefined,
    apiListen: { host: '127.0.0.1', port: 9001 },
    dnsListen: [
      { host: '127.0.0.1', port: 5300 },
      { host: '::1', port: 5300 },
    ],
    dnsTls: undefined,
    nameServers: [],
    adminPassword: undefined,
    adminToken: undefined,
    publicUrl: undefined,
    trustedProxies: [],
    passwordRules: { minLength: 8, regex: undefined, description: undefined },
    dnsWorkers: 3,
    bulkWorkers: 3,
    rateLimit: undefined,
    queryLog: { linesPath: undefined, dnstapPath: undefined, sampledOf: 1 },
    hidesQueryHosts: false,
    dnsIdentity: undefined,
    dnsVersion: undefined,
    keySecret: undefined,
    dnsCookieSecrets: [],
    minTtlSeconds: 0,
    outboundNetworks: [],
    aliasResolvers: [],
    extensionsV1: ['quotas'],
    hasAdminApi: false,
    allowsNoAuth: false,
    keystone: undefined,
    openid: undefined,
    eventHistoryMebibytes: 64,
    webhookUrls: [],
    webhookSecret: undefined,
    usageFlushSeconds: 10,
    usageKeepMonths: undefined,
    currency: undefined,
    currencyPlaces: 2,
    backup: undefined,
    metrics: undefined,
    logLevel: 'info',
  })
})

t.test('the configuration cannot be changed', async t => {
  t.ok(Object.isFrozen(load({})))
})

t.test('one core still has one answering thread', async t => {
  t.equal(load({ machine: { coreCount: 1, hasIpv6: true } }).dnsWorkers, 1)
})

t.test('without IPv6 the default addresses are IPv4 only, and asked-for ones stay', async t => {
  const machine = { coreCount: 1, hasIpv6: false }
  const environment = { ZONEWRIGHT_DNS_LISTEN: '[::1]:53' }
  t.strictSame(load({ machine }).dnsListen, [{ host: '127.0.0.1', port: 5300 }])
  t.strictSame(load({ machine, environment }).dnsListen, [{ host: '::1', port: 53 }])
})

const everything: Record<SettingName, string> = {
  ZONEWRIGHT_DATA_DIR: '/var/lib/zonewright',
  ZONEWRIGHT_STORE_URL: 'postgres://u:p%40ss@db1/zw?sslkey=k, postgres://db2/zw',
  ZONEWRIGHT_STORE_PASSWORD_FILE: storePasswordFile,
  ZONEWRIGHT_STORE_LOSSY: 'on',
  ZONEWRIGHT_NODE: 'zw1',
  ZONEWRIGHT_NODE_URL: 'https://zw1.example.com/',
  ZONEWRIGHT_API_LISTEN: '0.0.0.0:0',
  ZONEWRIGHT_DNS_LISTEN: '192.0.2.1:53, [2001:db8::1]:53',
  ZONEWRIGHT_DNS_TLS_LISTEN: '192.0.2.1:853, [2001:db8::1]:853',
  ZONEWRIGHT_DNS_HTTPS_LISTEN: '192.0.2.1:443',
  ZONEWRIGHT_DNS_TLS_CERT: '/etc/dns/cert.pem',
  ZONEWRIGHT_DNS_TLS_KEY: '/etc/dns/key.pem',
  ZONEWRIGHT_DNS_TLS_CLIENT_CA: '/etc/dns/clients.pem',
  ZONEWRIGHT_NAMESERVERS: 'ns1.example.net, NS2.example.net.',
  ZONEWRIGHT_ADMIN_PASSWORD: 'p assword',
  ZONEWRIGHT_PASSWORD_MIN_LENGTH: '12',
  ZONEWRIGHT_PASSWORD_REGEX: '(?=.*\\d).+',
  ZONEWRIGHT_PASSWORD_REGEX_DESCRIPTION: 'use a digit',
  ZONEWRIGHT_ADMIN_TOKEN: 't0ken',
  ZONEWRIGHT_PUBLIC_URL: 'https://dns.example.com/',
  ZONEWRIGHT_TRUSTED_PROXIES: 'loopback,192.0.2.0/24',
  ZONEWRIGHT_DNS_WORKERS: '2',
  ZONEWRIGHT_BULK_WORKERS: '3',
  ZONEWRIGHT_RRL_PER_SECOND: '20',
  ZONEWRIGHT_RRL_WINDOW_SECONDS: '10',
  ZONEWRIGHT_RRL_SLIP: '1',
  ZONEWRIGHT_RRL_EXEMPT: '192.0.2.0/24, 2001:db8::/32',
  ZONEWRIGHT_DNS_IDENTITY: 'ns1.fra',
  ZONEWRIGHT_DNS_VERSION: 'a name server',
  ZONEWRIGHT_KEY_SECRET: 'a secret',
  ZONEWRIGHT_DNS_COOKIE_SECRETS: `${'0a'.repeat(16)}, ${'FF'.repeat(16)}`,
  ZONEWRIGHT_MIN_TTL: '60',
  ZONEWRIGHT_EXTENSIONS_V1: '',
  ZONEWRIGHT_ADMIN_API: 'on',
  ZONEWRIGHT_AUTH_NONE: 'on',
  ZONEWRIGHT_KEYSTONE_URL: 'https://keystone.example.com/identity/',
  ZONEWRIGHT_KEYSTONE_USER: 'designate',
  ZONEWRIGHT_KEYSTONE_PASSWORD: 'w ord',
  ZONEWRIGHT_KEYSTONE_PROJECT: 'services',
  ZONEWRIGHT_KEYSTONE_DOMAIN: 'Infra',
  ZONEWRIGHT_OPENID_ISSUER: 'https://login.example.com/realms/dns/',
  ZONEWRIGHT_OPENID_CLIENT_ID: 'dns',
  ZONEWRIGHT_OPENID_CLIENT_SECRET: 's ecret',
  ZONEWRIGHT_OPENID_ROLES_CLAIM: 'realm_access.roles',
  ZONEWRIGHT_OUTBOUND_NETWORKS: '10.1.0.0/16, fd00::/8',
  ZONEWRIGHT_ALIAS_RESOLVERS: '192.0.2.53, [2001:db8::53]:5353',
  ZONEWRIGHT_EVENT_HISTORY_MIB: '8',
  ZONEWRIGHT_WEBHOOK_URLS: 'https://hooks.example.com/dns',
  ZONEWRIGHT_WEBHOOK_SECRET: 'h ook',
  ZONEWRIGHT_USAGE_FLUSH_SECONDS: '5',
  ZONEWRIGHT_USAGE_KEEP_MONTHS: '24',
  ZONEWRIGHT_CURRENCY: 'EUR',
  ZONEWRIGHT_CURRENCY_PLACES: '0',
  ZONEWRIGHT_BACKUP_DIR: '/var/backups/zonewright',
  ZONEWRIGHT_BACKUP_HOURS: '6',
  ZONEWRIGHT_BACKUP_KEEP: '28',
  ZONEWRIGHT_METRICS_LISTEN: '127.0.0.1:9153',
  ZONEWRIGHT_METRICS_TOKEN: 'm3trics',
  ZONEWRIGHT_QUERY_LOG: '/var/log/zonewright/queries.log',
  ZONEWRIGHT_DNSTAP: '/var/log/zonewright/queries.tap',
  ZONEWRIGHT_QUERY_LOG_SAMPLE: '100',
  ZONEWRIGHT_QUERY_ADDRESSES: 'network',
  ZONEWRIGHT_LOG_LEVEL: 'warn',
}

const everythingConfigured = {
  dataDir: '/var/lib/zonewright',
  cluster: {
    storeUrls: ['postgres://u:p%40ss@db1/zw?sslkey=k', 'postgres://db2/zw'],
    storePassword: 'from a file',
    acceptsLoss: true,
    node: 'zw1',
    nodeUrl: 'https://zw1.example.com',
  },
  apiListen: { host: '0.0.0.0', port: 0 },
  dnsListen: [
    { host: '192.0.2.1', port: 53 },
    { host: '2001:db8::1', port: 53 },
  ],
  dnsTls: {
    listen: [
      { host: '192.0.2.1', port: 853 },
      { host: '2001:db8::1', port: 853 },
    ],
    httpsListen: [{ host: '192.0.2.1', port: 443 }],
    certificateFile: '/etc/dns/cert.pem',
    keyFile: '/etc/dns/key.pem',
    clientCaFile: '/etc/dns/clients.pem',
  },
  nameServers: ['ns1.example.net.', 'NS2.example.net.'],
  adminPassword: 'p assword',
  adminToken: 't0ken',
  publicUrl: 'https://dns.example.com',
  trustedProxies: ['loopback', '192.0.2.0/24'],
  passwordRules: { minLength: 12, regex: '(?=.*\\d).+', description: 'use a digit' },
  dnsWorkers: 2,
  bulkWorkers: 3,
  rateLimit: {
    perSecond: 20,
    windowSeconds: 10,
    slip: 1,
    exempt: [
      { address: '192.0.2.0', bits: 24 },
      { address: '2001:db8::', bits: 32 },
    ],
  },
  queryLog: {
    linesPath: '/var/log/zonewright/queries.log',
    dnstapPath: '/var/log/zonewright/queries.tap',
    sampledOf: 100,
  },
  hidesQueryHosts: true,
  dnsIdentity: 'ns1.fra',
  dnsVersion: 'a name server',
  keySecret: 'a secret',
  dnsCookieSecrets: ['0a'.repeat(16), 'FF'.repeat(16)],
  minTtlSeconds: 60,
  outboundNetworks: [
    { address: '10.1.0.0', bits: 16 },
    { address: 'fd00::', bits: 8 },
  ],
  aliasResolvers: ['192.0.2.53', '[2001:db8::53]:5353'],
  extensionsV1: [],
  hasAdminApi: true,
  allowsNoAuth: true,
  openid: {
    issuer: 'https://login.example.com/realms/dns',
    clientId: 'dns',
    clientSecret: 's ecret',
    rolesClaim: 'realm_access.roles',
  },
  keystone: {
    url: 'https://keystone.example.com/identity',
    account: { user: 'designate', password: 'w ord', project: 'services', domain: 'Infra' },
  },
  eventHistoryMebibytes: 8,
  webhookUrls: ['https://hooks.example.com/dns'],
  webhookSecret: 'h ook',
  usageFlushSeconds: 5,
  usageKeepMonths: 24,
  currency: 'EUR',
  currencyPlaces: 0,
  backup: { directory: '/var/backups/zonewright', everyHours: 6, keep: 28 },
  metrics: { listen: { host: '127.0.0.1', port: 9153 }, token: 'm3trics' },
  logLevel: 'warn',
}

t.test('every setting can come from the environment, and from the file as text', async t => {
  t.same(Object.keys(everything), settingNames)
  t.strictSame(load({ environment: everything }), everythingConfigured)
  t.strictSame(load({ file: JSON.stringify(everything) }), everythingConfigured)
})

t.test('the file may use the JSON types, and null for unset', async t => {
  const file = JSON.stringify({
    ...everything,
    ZONEWRIGHT_DNS_LISTEN: ['192.0.2.1:53', '[2001:db8::1]:53'],
    ZONEWRIGHT_DNS_WORKERS: 2,
    ZONEWRIGHT_BULK_WORKERS: 3,
    ZONEWRIGHT_EXTENSIONS_V1: [],
    ZONEWRIGHT_ADMIN_TOKEN: null,
  })
  t.strictSame(load({ file }), { ...everythingConfigured, adminToken: undefined })
})

t.test('an external Keystone is asked with an account or without one', async t => {
  const ZONEWRIGHT_KEYSTONE_URL = 'http://keystone.example.com'
  const url = ZONEWRIGHT_KEYSTONE_URL
  t.strictSame(load({ environment: { ZONEWRIGHT_KEYSTONE_URL } }).keystone, {
    url,
    account: undefined,
  })
  const account = { ZONEWRIGHT_KEYSTONE_USER: 'designate', ZONEWRIGHT_KEYSTONE_PASSWORD: 'word' }
  t.strictSame(load({ environment: { ZONEWRIGHT_KEYSTONE_URL, ...account } }).keystone, {
    url,
    account: { user: 'designate', password: 'word', project: 'service', domain: 'Default' },
  })
  const together = 'ZONEWRIGHT_KEYSTONE_USER and ZONEWRIGHT_KEYSTONE_PASSWORD must be set together'
  const rows: [Record<string, string>, string][] = [
    [account, 'ZONEWRIGHT_KEYSTONE_USER needs ZONEWRIGHT_KEYSTONE_URL'],
    [{ ZONEWRIGHT_KEYSTONE_URL, ZONEWRIGHT_KEYSTONE_USER: 'designate' }, together],
    [{ ZONEWRIGHT_KEYSTONE_URL, ZONEWRIGHT_KEYSTONE_PASSWORD: 'word' }, together],
  ]
  for (const [environment, message] of rows)
    t.throws(() => load({ environment }), { name: 'ConfigError', message })
})

t.test('networks without rate limit are networks', async t => {
  const environment = { ZONEWRIGHT_RRL_PER_SECOND: '5', ZONEWRIGHT_RRL_EXEMPT: '192.0.2.0/24,x' }
  t.throws(() => load({ environment }), {
    name: 'ConfigError',
    message: /ZONEWRIGHT_RRL_EXEMPT.*up to 256 networks/,
  })
})

t.test('DNS over TLS takes addresses, a certificate and a key', async t => {
  const files = { ZONEWRIGHT_DNS_TLS_CERT: 'cert.pem', ZONEWRIGHT_DNS_TLS_KEY: 'key.pem' }
  const listen = { ZONEWRIGHT_DNS_TLS_LISTEN: '127.0.0.1:853' }
  t.strictSame(load({ environment: { ...listen, ...files } }).dnsTls, {
    listen: [{ host: '127.0.0.1', port: 853 }],
    httpsListen: [],
    certificateFile: resolve('cert.pem'),
    keyFile: resolve('key.pem'),
  })
  const together =
    'ZONEWRIGHT_DNS_TLS_LISTEN or ZONEWRIGHT_DNS_HTTPS_LISTEN, ZONEWRIGHT_DNS_TLS_CERT and ZONEWRIGHT_DNS_TLS_KEY ' +
    'must be set together; '
  const { ZONEWRIGHT_DNS_TLS_CERT, ZONEWRIGHT_DNS_TLS_KEY } = files
  const rows: [Record<string, string>, string][] = [
    [files, `${together}ZONEWRIGHT_DNS_TLS_LISTEN is missing`],
    [
      { ...files, ZONEWRIGHT_DNS_TLS_LISTEN: '' },
      `${together}ZONEWRIGHT_DNS_TLS_LISTEN is missing`,
    ],
    [{ ...listen, ZONEWRIGHT_DNS_TLS_KEY }, `${together}ZONEWRIGHT_DNS_TLS_CERT is missing`],
    [{ ...listen, ZONEWRIGHT_DNS_TLS_CERT }, `${together}ZONEWRIGHT_DNS_TLS_KEY is missing`],
    [
      { ...files, ZONEWRIGHT_DNS_TLS_LISTEN: '127.0.0.1:853,[::1]:5300' },
      'ZONEWRIGHT_DNS_TLS_LISTEN and ZONEWRIGHT_DNS_LISTEN both have [::1]:5300; the port of DNS over TLS is 853',
    ],
    [
      { ...files, ZONEWRIGHT_DNS_HTTPS_LISTEN: '[::1]:5300' },
      'ZONEWRIGHT_DNS_HTTPS_LISTEN and ZONEWRIGHT_DNS_LISTEN both have [::1]:5300; the port of DNS over HTTPS is 443',
    ],
    [
      { ...files, ...listen, ZONEWRIGHT_DNS_HTTPS_LISTEN: '0.0.0.0:853' },
      'ZONEWRIGHT_DNS_HTTPS_LISTEN and ZONEWRIGHT_DNS_TLS_LISTEN both have 0.0.0.0:853; ' +
        'the port of DNS over HTTPS is 443',
    ],
  ]
  for (const [environment, message] of rows)
    t.throws(() => load({ environment }), { name: 'ConfigError', message })
  const https = { ZONEWRIGHT_DNS_HTTPS_LISTEN: '127.0.0.1:443' }
  t.match(load({ environment: { ...https, ...files } }).dnsTls, {
    listen: [],
    httpsListen: [{ host: '127.0.0.1', port: 443 }],
  })
  const anyPorts = { ZONEWRIGHT_DNS_LISTEN: '[::1]:0', ZONEWRIGHT_DNS_TLS_LISTEN: '[::1]:0' }
  t.doesNotThrow(() => load({ environment: { ...files, ...anyPorts } }))
})

t.test('the API has an address of its own', async t => {
  const rows: [string, Record<string, string>, string | undefined][] = [
    ['127.0.0.1:53', {}, undefined],
    ['127.0.0.1:5300', {}, 'ZONEWRIGHT_DNS_LISTEN both have 127.0.0.1:5300'],
    ['0.0.0.0:5300', {}, 'ZONEWRIGHT_DNS_LISTEN both have 127.0.0.1:5300'],
    [
      '[::]:53',
      { ZONEWRIGHT_DNS_LISTEN: '192.0.2.1:53' },
      'ZONEWRIGHT_DNS_LISTEN both have 192.0.2.1:53',
    ],
    ['[::1]:53', { ZONEWRIGHT_DNS_LISTEN: '0.0.0.0:53' }, undefined],
    ['127.0.0.1:0', { ZONEWRIGHT_DNS_LISTEN: '127.0.0.1:0' }, undefined],
    [
      '127.0.0.1:853',
      {
        ZONEWRIGHT_DNS_TLS_LISTEN: '127.0.0.1:853',
        ZONEWRIGHT_DNS_TLS_CERT: 'cert.pem',
        ZONEWRIGHT_DNS_TLS_KEY: 'key.pem',
      },
      'ZONEWRIGHT_DNS_TLS_LISTEN both have 127.0.0.1:853',
    ],
  ]
  for (const [api, others, shared] of rows) {
    const environment = { ZONEWRIGHT_API_LISTEN: api, ...others }
    if (shared === undefined) t.doesNotThrow(() => load({ environment }), api)
    else
      t.throws(() => load({ environment }), {
        name: 'ConfigError',
        message: `ZONEWRIGHT_API_LISTEN and ${shared}; each needs a port of its own`,
      })
  }
})

t.test('metrics have an address of their own where it is set', async t => {
  const listen = { ZONEWRIGHT_METRICS_LISTEN: '[::1]:9153' }
  t.strictSame(load({ environment: listen }).metrics, {
    listen: { host: '::1', port: 9153 },
    token: undefined,
  })
  const rows: [Record<string, string>, string][] = [
    [
      { ZONEWRIGHT_METRICS_TOKEN: 'word' },
      'ZONEWRIGHT_METRICS_TOKEN needs ZONEWRIGHT_METRICS_LISTEN',
    ],
    [
      { ZONEWRIGHT_METRICS_LISTEN: '0.0.0.0:9001' },
      'ZONEWRIGHT_METRICS_LISTEN and ZONEWRIGHT_API_LISTEN both have 127.0.0.1:9001; each needs a port of its own',
    ],
    [
      { ZONEWRIGHT_METRICS_LISTEN: 'here' },
      'ZONEWRIGHT_METRICS_LISTEN must be an IP address and a port, such as 127.0.0.1:9001 or [::1]:9001, not "here"',
    ],
  ]
  for (const [environment, message] of rows)
    t.throws(() => load({ environment }), { name: 'ConfigError', message })
})

t.test('the environment wins over the file, unless it is empty', async t => {
  const file = '{"ZONEWRIGHT_LOG_LEVEL": "warn"}'
  t.equal(load({ file, environment: { ZONEWRIGHT_LOG_LEVEL: 'debug' } }).logLevel, 'debug')
  t.equal(load({ file, environment: { ZONEWRIGHT_LOG_LEVEL: '' } }).logLevel, 'warn')
})

t.test('other variables are none of ours', async t => {
  t.doesNotThrow(() => load({ environment: { HOME: '/', NODE_ENV: 'x', zonewright_x: '1' } }))
})

t.test('what is wrong is reported in one line that names it', async t => {
  const rows: [Given, string][] = [
    [
      { environment: { ZONEWRIGHT_DNS_WORKER: '2' } },
      'unknown setting ZONEWRIGHT_DNS_WORKER; did you mean ZONEWRIGHT_DNS_WORKERS?',
    ],
    [
      { environment: { ZONEWRIGHT_COLOUR: 'red' } },
      'unknown setting ZONEWRIGHT_COLOUR; the command settings lists them',
    ],
    [
      { file: '{"dnsWorkers": 1}' },
      'unknown setting dnsWorkers in settings.json; did you mean ZONEWRIGHT_DNS_WORKERS?',
    ],
    [
      { environment: { ZONEWRIGHT_DNS_WORKERS: '1.5' } },
      'ZONEWRIGHT_DNS_WORKERS must be a whole number from 1 to 256, not "1.5"',
    ],
    [
      { file: '{"ZONEWRIGHT_DNS_WORKERS": 0}' },
      'ZONEWRIGHT_DNS_WORKERS in settings.json must be a whole number from 1 to 256, not 0',
    ],
    [
      { environment: { ZONEWRIGHT_QUERY_LOG: 'q', ZONEWRIGHT_DNSTAP: './q' } },
      'ZONEWRIGHT_QUERY_LOG and ZONEWRIGHT_DNSTAP cannot be the same file',
    ],
    ...['STORE_PASSWORD_FILE', 'STORE_LOSSY', 'NODE', 'NODE_URL'].map((name): [Given, string] => [
      { environment: { [`ZONEWRIGHT_${name}`]: 'on', ZONEWRIGHT_STORE_URL: '' } },
      `ZONEWRIGHT_${name} needs ZONEWRIGHT_STORE_URL`,
    ]),
    [{ file: '{"a": b' }, 'settings.json is not valid JSON'],
    [{ file: '{\n"a": 1,}' }, 'settings.json is not valid JSON (line 2 column 8)'],
    [{ file: '[]' }, 'settings.json must hold one JSON object of settings'],
  ]
  for (const [given, message] of rows) t.throws(() => load(given), { name: 'ConfigError', message })
})

t.test('values that are not valid are refused', async t => {
  const rows: [SettingName, string][] = [
    ['ZONEWRIGHT_API_LISTEN', 'localhost:9001'],
    ['ZONEWRIGHT_DNS_LISTEN', ''],
    ['ZONEWRIGHT_DNS_LISTEN', '127.0.0.1:53,'],
    ['ZONEWRIGHT_DNS_LISTEN', '127.0.0.1:53,127.0.0.1:53'],
    ['ZONEWRIGHT_DNS_TLS_LISTEN', 'localhost:853'],
    ['ZONEWRIGHT_ADMIN_TOKEN', 'two words'],
    ['ZONEWRIGHT_PUBLIC_URL', 'dns.example.com'],
    ['ZONEWRIGHT_PUBLIC_URL', 'https://dns.example.com/?a=b'],
    ['ZONEWRIGHT_DNS_WORKERS', '257'],
    ['ZONEWRIGHT_DNS_WORKERS', '0x10'],
    ['ZONEWRIGHT_NAMESERVERS', 'ns1'],
    ['ZONEWRIGHT_NAMESERVERS', 'ns1.example.net,192.0.2.1:53'],
    ['ZONEWRIGHT_NAMESERVERS', '-.example.net'],
    ['ZONEWRIGHT_NAMESERVERS', 'ns1.example.net.,NS1.example.net'],
    ['ZONEWRIGHT_MIN_TTL', '-1'],
    ['ZONEWRIGHT_MIN_TTL', '1h'],
    ['ZONEWRIGHT_EXTENSIONS_V1', 'quotas,other'],
    ['ZONEWRIGHT_AUTH_NONE', 'true'],
    ['ZONEWRIGHT_KEYSTONE_URL', 'ftp://keystone.example.com'],
    ['ZONEWRIGHT_KEYSTONE_URL', 'https://user:word@keystone.example.com'],
    ['ZONEWRIGHT_CURRENCY_PLACES', '29'],
    ['ZONEWRIGHT_LOG_LEVEL', 'loud'],
  ]
  for (const [name, value] of rows)
    t.throws(() => load({ environment: { [name]: value } }), { name: 'ConfigError' }, value)
})

t.test('a file that cannot be read is named, with the reason', async t => {
  const readFile = () => {
    throw new Error('no such file')
  }
  const message = 'cannot read the settings file x.json: no such file'
  t.throws(() => loadConfig({ environment: {}, argv: ['--config', 'x.json'], readFile }), {
    name: 'ConfigError',
    message,
  })
})

t.test('no message and no description shows a secret', async t => {
  const environment = { ZONEWRIGHT_ADMIN_TOKEN: 's3cret s3cret' }
  t.throws(() => load({ environment }), {
    message: 'ZONEWRIGHT_ADMIN_TOKEN must be visible ASCII characters without spaces',
  })
  const url = { ZONEWRIGHT_KEYSTONE_URL: 'https://user:s3cret@keystone.example.com' }
  t.throws(() => load({ environment: url }), { message: /not "https:\/\/keystone.example.com"$/ })
  const hooks = { ZONEWRIGHT_WEBHOOK_URLS: 'http://a:s3cret@b/,http://c:d@s3cret@e/?' }
  t.throws(() => load({ environment: hooks }), { message: /not "http:\/\/b\/,http:\/\/e\/\?"$/ })
  t.throws(() => load({ file: '{"ZONEWRIGHT_ADMIN_PASSWORD": "s3cret' }), {
    message: /^((?!s3cret).)*$/,
  })
  t.match(describeConfig(load({ environment: everything })), {
    adminPassword: '[secret]',
    adminToken: '[secret]',
    cluster: {
      storeUrls: ['postgres://db1/zw', 'postgres://db2/zw'],
      storePassword: '[secret]',
    },
    keystone: { account: { user: 'designate', password: '[secret]' } },
    apiListen: '0.0.0.0:0',
    dnsListen: ['192.0.2.1:53', '[2001:db8::1]:53'],
    dnsTls: { listen: ['192.0.2.1:853', '[2001:db8::1]:853'], httpsListen: ['192.0.2.1:443'] },
  })
})

t.test('a password rule that cannot be used is reported', async t => {
  const rows: readonly [Record<string, string>, RegExp][] = [
    [{ ZONEWRIGHT_PASSWORD_REGEX: '(' }, /ZONEWRIGHT_PASSWORD_REGEX cannot be used: /],
    [{ ZONEWRIGHT_PASSWORD_REGEX_DESCRIPTION: 'x' }, /needs ZONEWRIGHT_PASSWORD_REGEX$/],
    [{ ZONEWRIGHT_PASSWORD_MIN_LENGTH: '0' }, /must be a whole number from 1 to 128/],
    [{ ZONEWRIGHT_TRUSTED_PROXIES: 'all' }, /must be IP addresses, networks/],
  ]
  for (const [environment, message] of rows) t.throws(() => load({ environment }), message)
})
