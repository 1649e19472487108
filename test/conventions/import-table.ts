// Who may import whom, as src's design has it. A change here is a change of the architecture and needs a line in
// the README of the folder that gains an import.

/** Folder of src, or file directly in it → what it may import: folders, or files and folders below them.
 *  Imports within a folder are free; `main.ts`, `app` and `cli` put everything together and may import all. */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  // The data plane never imports the management plane.
  dns: [],
  zone: ['dns', 'hash.ts'],
  // How zones are signed
  dnssec: ['zone', 'dns', 'fair-share.ts'],
  nameserver: ['dnssec', 'zone', 'dns', 'hash.ts'],
  transport: [
    'client-of.ts',
    'connection-table.ts',
    'fair-share.ts',
    'host-port.ts',
    'nameserver',
    'zone',
    'dns',
    'mutex.ts',
    'node-http.ts',
    'operator-error.ts',
    'time-slice.ts',
  ],

  // The bridge
  publish: [
    'lru-map.ts',
    'semaphore.ts',
    'store',
    'dnssec',
    'durable',
    'model',
    'zone',
    'dns',
    'time-slice.ts',
    'version.ts',
  ],

  // Files that survive, whatever is in them
  durable: ['durations.ts', 'mutex.ts', 'operator-error.ts', 'time-slice.ts'],

  // All of it in one archive
  backup: ['durable', 'clock.ts', 'operator-error.ts'],

  // What the parts have to know of other nodes over the same store
  cluster: [],

  // The management plane sees the store's interface, never its implementation.
  model: ['actor.ts', 'dnssec', 'dns', 'errors.ts'],
  store: [
    'actor.ts',
    'cluster',
    'hash.ts',
    'durable',
    'durations.ts',
    'host-port.ts',
    'model',
    'clock.ts',
    'mutex.ts',
    'sharded-map.ts',
    'operator-error.ts',
    'time-slice.ts',
  ],
  identity: [
    'lru-map.ts',
    'client-of.ts',
    'semaphore.ts',
    'store/store.ts',
    'store/indexes.ts',
    'model',
    'clock.ts',
    'errors.ts',
    // What another identity service answers is outside data like any body.
    'validator.ts',
  ],
  // Whole zones, in threads: values in, values out.
  bulk: ['hash.ts', 'semaphore.ts', 'dnssec', 'model', 'zone', 'dns', 'errors.ts'],
  service: [
    'lru-map.ts',
    'actor.ts',
    'bulk',
    'cluster',
    'dnssec',
    'held-octets.ts',
    'host-port.ts',
    'semaphore.ts',
    'mutex.ts',
    'store/store.ts',
    'store/indexes.ts',
    'identity/caller.ts',
    'identity/policy.ts',
    'model',
    'zone',
    'dns',
    'clock.ts',
    'errors.ts',
    'time-slice.ts',
  ],
  // Single queries, as the answering threads note them
  querylog: ['nameserver', 'model', 'identity/caller.ts', 'dns', 'clock.ts'],
  rating: [
    'mutex.ts',
    'durable',
    'store/store.ts',
    'store/indexes.ts',
    'identity/caller.ts',
    'identity/policy.ts',
    'model',
    'clock.ts',
    'errors.ts',
    'sharded-map.ts',
    'time-slice.ts',
  ],
  api: [
    'actor.ts',
    'client-of.ts',
    'connection-table.ts',
    'cluster/cluster.ts',
    'service',
    'querylog',
    'rating',
    'identity',
    'model',
    'metrics',
    // Only to tell a refused write from a broken program.
    'store/store.ts',
    'clock.ts',
    'errors.ts',
    'log.ts',
    'held-octets.ts',
    'node-http.ts',
    'operator-error.ts',
    'validator.ts',
    'time-slice.ts',
  ],
  jobs: [
    'actor.ts',
    'cluster/duty.ts',
    'service',
    'rating',
    'transport/outbound',
    'clock.ts',
    'log.ts',
  ],

  config: [
    'host-port.ts',
    'log.ts',
    'operator-error.ts',
    'model/network.ts',
    'model/password-rules.ts',
    'validator.ts',
  ],
  // The public API is all that it knows of the server, and how long texts are divided.
  client: ['model/record-values.ts'],
  metrics: ['durations.ts'],
  // Runs in browsers; the public API is all that it knows of the server, of which the compiler reads what it answers.
  console: [
    'api/admin/answers.ts',
    'api/dns/answers.ts',
    'api/dns/dnssec.answers.ts',
    'api/dns/history.answers.ts',
    'api/identity/answers.ts',
    'api/rating/answers.ts',
  ],
  'actor.ts': [],
  'errors.ts': [],
  'client-of.ts': [],
  'clock.ts': [],
  'durations.ts': [],
  'hash.ts': [],
  'host-port.ts': [],
  'semaphore.ts': [],
  'sharded-map.ts': ['hash.ts'],
  'lru-map.ts': [],
  'mutex.ts': [],
  'node-http.ts': [],
  'operator-error.ts': [],
  'time-slice.ts': [],
  'log.ts': [],
  'version.ts': [],
  'validator.ts': ['errors.ts'],
}

/** Folders of a folder that has many, each with those before it to import. */
export const layers: Readonly<Record<string, readonly string[]>> = {
  service: [
    'listing',
    'rules',
    'recordsets',
    'changes',
    'zones',
    'zone-files',
    'dnssec',
    'targets',
    'pools',
    'secondaries',
    'catalogs',
    'events',
    'history',
    'consistency',
    'operations',
  ],
}

/** Files and folders of src that may import all of it. */
export const composers: readonly string[] = ['main.ts', 'app', 'cli']

/** npm package → the folders or files of src that may import it; one that is not here may not be imported. */
export const packageUsers: Readonly<Record<string, readonly string[]>> = {
  ajv: ['validator.ts'],
  'ajv-formats': ['validator.ts'],
  '@preact/signals': ['console'],
  commander: ['client'],
  dns2: ['transport'],
  express: ['api'],
  'express-rate-limit': ['api'],
  helmet: ['api'],
  koffi: ['transport'],
  lowdb: ['store'],
  'node-cron': ['jobs'],
  pg: ['store/shared'],
  pino: ['log.ts'],
  preact: ['console'],
  uplot: ['console'],
  vite: ['console'],
  'pino-pretty': ['log.ts'],
  'prom-client': ['metrics'],
  re2js: ['model', 'service'],
  yaml: ['client'],
  'openid-client': ['identity'],
  otpauth: ['identity'],
  qr: ['console'],
  typebox: ['api', 'config', 'console', 'identity', 'validator.ts'],
}

/** Folders that nothing of Node may enter: octets and values in, octets and values out. */
export const pureFolders: readonly string[] = ['dns', 'zone', 'nameserver']
