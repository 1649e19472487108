import type { Page } from '../../api/lists.ts'
import { type AdminRow, type AdminRows, listTsigKeys } from '../../api/server.ts'
import { texts } from '../../texts.ts'
import { typedNumber } from '../../ui/numbers.ts'

/** The input of a form, by field name. */
export type Typed = Readonly<Record<string, string>>

/** A field of a form for a row, and where it is in the body. */
export type RowField = {
  readonly name: string
  readonly label: string
  readonly hint?: string
  /** The path of its errors from the server; the name if left out. */
  readonly path?: readonly string[]
  readonly isLong?: boolean
  readonly choices?: Readonly<Record<string, string>>
  readonly isShown?: (typed: Typed) => boolean
}

/** A kind of rows that administrators manage: the columns of its list and the fields of its form. */
export type RowKind = {
  readonly rows: AdminRows
  /** Reads a part of the list; left out where no more is shown than is in the rows. */
  readonly list?: (marker: string | undefined) => Promise<Page<AdminRow>>
  readonly explain: string
  readonly empty: string
  readonly columns: readonly { readonly title: string; readonly text: (row: AdminRow) => string }[]
  readonly fields: readonly RowField[]
  readonly typedOf: (row: AdminRow | undefined) => Typed
  readonly bodyOf: (typed: Typed) => object
}

const say = texts.server
const text = (value: unknown) => (typeof value === 'string' ? value : '')
const column = (title: string, name: string) => ({
  title,
  text: (row: AdminRow) => text(row[name]),
})

/** A row of one text and a description. */
function plainKind(
  rows: 'blacklists' | 'tlds',
  main: RowField,
  words: Pick<RowKind, 'explain' | 'empty'>,
): RowKind {
  const { name, label } = main
  return {
    rows,
    ...words,
    columns: [column(label, name), column(say.description, 'description')],
    fields: [main, { name: 'description', label: say.description }],
    typedOf: row => ({ [name]: text(row?.[name]), description: text(row?.description) }),
    bodyOf: typed => ({ [name]: typed[name], description: typed.description || null }),
  }
}

export const blacklists = plainKind(
  'blacklists',
  { name: 'pattern', label: say.pattern, hint: say.patternHint },
  { explain: say.blacklistsExplain, empty: say.blacklistsEmpty },
)

export const tlds = plainKind(
  'tlds',
  { name: 'name', label: say.name, hint: say.tldHint },
  { explain: say.tldsExplain, empty: say.tldsEmpty },
)

type NsRecord = { readonly hostname: string; readonly priority: number | string }

/** The attributes of a pool that mean something to the server. */
const poolAttributes = [
  { name: 'listen', label: say.listen, hint: say.listHint },
  { name: 'also_notify', label: say.alsoNotify, hint: say.listHint },
  { name: 'check', label: say.checkServers, hint: say.listHint },
  { name: 'allow_transfer', label: say.allowTransfer, hint: say.peersHint },
]

export const pools: RowKind = {
  rows: 'pools',
  explain: say.poolsExplain,
  empty: '',
  columns: [
    column(say.name, 'name'),
    {
      title: say.nsShort,
      text: row =>
        nsRecordsOf(row)
          .map(one => one.hostname)
          .join(', '),
    },
    column(say.description, 'description'),
  ],
  fields: [
    { name: 'name', label: say.name },
    { name: 'description', label: say.description },
    { name: 'ns_records', label: say.nsRecords, hint: say.nsRecordsHint, isLong: true },
    ...poolAttributes.map(field => ({ ...field, path: ['attributes', field.name] })),
  ],
  typedOf: row => ({
    name: text(row?.name),
    description: text(row?.description),
    ns_records: nsRecordsOf(row)
      .map(({ priority, hostname }) => `${priority} ${hostname}`)
      .join('\n'),
    // Other attributes stay unchanged.
    others: JSON.stringify(row?.attributes ?? {}),
    ...Object.fromEntries(poolAttributes.map(({ name }) => [name, attributesOf(row)[name] ?? ''])),
  }),
  bodyOf: typed => ({
    name: typed.name,
    description: typed.description || null,
    ns_records: (typed.ns_records ?? '').split('\n').flatMap(nsRecordOf),
    attributes: {
      ...JSON.parse(typed.others ?? '{}'),
      ...Object.fromEntries(poolAttributes.map(({ name }) => [name, typed[name] ?? ''])),
    },
  }),
}

function attributesOf(row: AdminRow | undefined): Readonly<Record<string, string>> {
  return (row?.attributes ?? {}) as Readonly<Record<string, string>>
}

function nsRecordsOf(row: AdminRow | undefined): readonly NsRecord[] {
  return (row?.ns_records ?? []) as readonly NsRecord[]
}

/** `10 ns1.example.net.`; the server reports an error for any other form. */
function nsRecordOf(line: string): readonly NsRecord[] {
  const [priority = '', hostname = ''] = line.trim().split(/\s+/)
  return priority === '' ? [] : [{ hostname, priority: typedNumber(priority) }]
}

const keyAlgorithms: Readonly<Record<number, string>> = texts.dnssec.algorithms

export const dnssecPolicies: RowKind = {
  rows: 'dnssec_policies',
  explain: say.policiesExplain,
  empty: say.policiesEmpty,
  columns: [
    column(say.name, 'name'),
    column(say.keys, 'keys'),
    { title: say.algorithm, text: ({ algorithm }) => keyAlgorithms[Number(algorithm)] ?? '' },
    column(say.description, 'description'),
  ],
  fields: [
    { name: 'name', label: say.name },
    { name: 'description', label: say.description },
    { name: 'keys', label: say.keys, choices: say.keyKinds },
    { name: 'algorithm', label: say.algorithm, choices: texts.dnssec.algorithms },
    { name: 'denial', label: say.denial, choices: say.denials },
    { name: 'ksk_lifetime_days', label: say.kskDays, hint: say.endless },
    {
      name: 'zsk_lifetime_days',
      label: say.zskDays,
      hint: say.endless,
      isShown: ({ keys }) => keys === 'KSK+ZSK',
    },
  ],
  typedOf: row => ({
    name: text(row?.name),
    description: text(row?.description),
    keys: text(row?.keys) || 'KSK+ZSK',
    algorithm: String(row?.algorithm ?? 13),
    denial: text(row?.denial) || 'NSEC',
    ksk_lifetime_days: String(row?.ksk_lifetime_days ?? ''),
    zsk_lifetime_days: String(row?.zsk_lifetime_days ?? ''),
  }),
  bodyOf: ({ ksk_lifetime_days, zsk_lifetime_days, ...typed }) => ({
    ...typed,
    description: typed.description || null,
    algorithm: Number(typed.algorithm),
    ksk_lifetime_days: daysOf(ksk_lifetime_days),
    zsk_lifetime_days: typed.keys === 'KSK+ZSK' ? daysOf(zsk_lifetime_days) : null,
  }),
}

/** An empty value means without end. */
function daysOf(typed = ''): number | string | null {
  return typed.trim() === '' ? null : typedNumber(typed)
}

const algorithms = [
  'hmac-sha256',
  'hmac-sha512',
  'hmac-sha384',
  'hmac-sha224',
  'hmac-sha1',
  'hmac-md5',
]

/** @param poolNames by their ids */
export function tsigKeys(poolNames: Readonly<Record<string, string>>): RowKind {
  const [firstPool = ''] = Object.keys(poolNames)
  return {
    rows: 'tsigkeys',
    list: marker => listTsigKeys(poolNames, marker),
    explain: say.keysExplain,
    empty: say.keysEmpty,
    columns: [
      column(say.name, 'name'),
      column(say.algorithm, 'algorithm'),
      {
        title: say.scope,
        text: ({ resource_id: id, resource_name: name }) =>
          `${text(id) in poolNames ? say.pool : say.zone} ${name ?? id}`,
      },
    ],
    fields: [
      { name: 'name', label: say.name, hint: say.keyHint },
      {
        name: 'algorithm',
        label: say.algorithm,
        choices: Object.fromEntries(algorithms.map(name => [name, name])),
      },
      { name: 'secret', label: say.secret },
      { name: 'scope', label: say.scope, choices: say.scopes },
      {
        name: 'pool',
        label: say.pool,
        path: ['resource_id'],
        choices: poolNames,
        isShown: ({ scope }) => scope === 'POOL',
      },
      {
        name: 'zone',
        label: say.zoneId,
        path: ['resource_id'],
        isShown: ({ scope }) => scope === 'ZONE',
      },
    ],
    typedOf: row => ({
      name: text(row?.name),
      algorithm: text(row?.algorithm) || 'hmac-sha256',
      secret: text(row?.secret) || newSecret(),
      scope: text(row?.scope) || 'POOL',
      pool: row?.scope === 'POOL' ? text(row.resource_id) : firstPool,
      zone: row?.scope === 'ZONE' ? text(row.resource_id) : '',
    }),
    bodyOf: ({ name, algorithm, secret, scope, pool, zone }) => ({
      name,
      algorithm,
      secret,
      scope,
      resource_id: scope === 'POOL' ? pool : zone?.trim(),
    }),
  }
}

function newSecret(): string {
  return btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))
}
