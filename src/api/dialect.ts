import type { Road } from '../actor.ts'
import type { ApiError, ErrorType } from '../errors.ts'
import { blacklistedZoneMessage } from '../model/blacklist.ts'

// The same outcome for different clients: one value, read only when a response is shaped. `plain` is the
// specification's letter, `designate` what Designate's own clients break without, `keystone` the words of the
// identity service, `rating` those of usage rating, `cloudkitty` and `cloudkittyV1` what CloudKitty's own clients go
// by, and `v1` and `designateV1` the words of Designate's first API. Services never see it.

/** Every point where the specification and Designate differ, side by side. What is not here is the same in
 *  both. */
export const differences = {
  /** Status of the calls that succeed. */
  zoneCreated: { plain: 201, designate: 202 },
  zoneUpdated: { plain: 200, designate: 202 },
  recordsetCreated: { plain: 201, designate: 202 },
  recordsetUpdated: { plain: 200, designate: 202 },
  recordsetDeleted: { plain: 204, designate: 202 },
  /** Whether deleting a zone (202) or a recordset answers with the object or with an empty body. */
  showsDeleted: { plain: false, designate: true },
  /** Whether a change's own response shows it being worked on (status PENDING beside its action), as clients
   *  that poll expect, or as it is: served. */
  showsPending: { plain: false, designate: true },
  /** Whether an import has a report of what it left out and changed, beside its message. */
  showsReports: { plain: true, designate: false },
  /** Whether an NS recordset, once created, can get other values; otherwise it is deleted and made anew. */
  updatesNs: { plain: false, designate: true },
  /** Whether blacklists hold for every new zone, or for those of administrators not. */
  isBoundByBlacklists: { plain: true, designate: false },
  /** `masters` of a zone that has none: clients of Designate iterate it. */
  noMasters: { plain: null, designate: [] },
  /** Whether a SECONDARY zone must have masters from the start, or is not transferred in until they are set. */
  needsMasters: { plain: false, designate: true },
  /** Whether recordsets of a SECONDARY zone are read-only for administrators too. */
  keepsSecondariesReadOnly: { plain: true, designate: false },
  /** Whether recordsets may have any names, escaped, or those of hosts only. */
  takesHostNamesOnly: { plain: false, designate: true },
  /** Whether names of recordsets may be relative to their zone. */
  takesRelativeNames: { plain: true, designate: false },
  /** Whether zones and recordsets have entity tags, and changes may be bound to them. */
  hasEntityTags: { plain: true, designate: false },
  /** What the parts of the server are called in their statuses. */
  serviceNaming: { plain: 'own', designate: 'designate' },
  /** Status of "you may not". The specification knows one answer for it and for "who are you". */
  denied: { plain: 401, designate: 403 },
  /** What the message of such an answer begins with. */
  denialPrefix: { plain: 'Access Denied: ', designate: '' },
  /** Messages in other words. */
  wording: { plain: { [blacklistedZoneMessage]: 'Blacklisted domain name' }, designate: {} },
} as const satisfies Record<string, { readonly plain: unknown; readonly designate: unknown }>

/** Every point where they differ in the older group, beside those. */
export const v1Differences = {
  /** Whether name servers are listed under a key, as its programs read them, or as a bare array. */
  keysServers: { plain: false, designate: true },
  /** Whether lists of records have `tenant_id` and `version`, which its programs refuse. */
  showsRecordTenant: { plain: true, designate: false },
  /** Whether quotas have that of exports too. */
  hasExportQuota: { plain: false, designate: true },
} as const satisfies Record<string, { readonly plain: unknown; readonly designate: unknown }>

/** Every point where the specification and CloudKitty differ in a route that both have, side by side. */
export const ratingDifferences = {
  /** Whether data frames of which none is found are nothing found (404), or an empty list. */
  refusesEmptyDataframes: { rating: false, cloudkitty: true },
  /** Whether the `state` of a scope has a form of its own, `2026-11-01 05:00:00`, or that of all timestamps. */
  spacesScopeState: { rating: true, cloudkitty: false },
  /** Whether summaries are for the books: as CSV too, and money in the digits of the currency, or in all of them where
   *  that is asked for; otherwise money is a float. */
  hasBookkeeping: { rating: true, cloudkitty: false },
} as const satisfies Record<string, { readonly rating: unknown; readonly cloudkitty: unknown }>

type Differences = typeof differences
type Difference = keyof Differences
type Column = 'plain' | 'designate'
type V1Differences = typeof v1Differences
type RatingDifferences = typeof ratingDifferences

/** How outcomes are answered to one kind of clients. */
export type Dialect = {
  readonly name:
    | 'plain'
    | 'designate'
    | 'keystone'
    | 'rating'
    | 'cloudkitty'
    | 'cloudkitty-v1'
    | 'v1'
    | 'designate-v1'
    | 'powerdns'
  /** What the history says of changes made in it. */
  readonly road: Road
  /** The form of an error body: `{code, type, message, …}` with wrong fields as `errors.errors[]`, the same
   *  with a flat `errors[]`, `{"error": {code, title, message}}`, `{"message"}`, `{"faultstring", …}`, or
   *  `{"error": message}`. */
  readonly errorEnvelope: 'designate' | 'flat' | 'keystone' | 'message' | 'fault' | 'error'
  /** Status of what is wrong with a request, where that is not 400. */
  readonly invalid?: number
  /** Types of refusals that have another name. */
  readonly typeNames: Readonly<Partial<Record<ErrorType, string>>>
  readonly wording: Readonly<Record<string, string>>
  /** Whether messages call a zone a domain. */
  readonly callsZonesDomains: boolean
  readonly denialPrefix: string
} & {
  readonly [K in Exclude<Difference, 'denialPrefix' | 'wording'>]: Differences[K][Column]
} & {
  readonly [K in keyof V1Differences]: V1Differences[K][Column]
} & {
  readonly [K in keyof RatingDifferences]: RatingDifferences[K]['rating' | 'cloudkitty']
}

export const plain: Dialect = {
  name: 'plain',
  road: 'v2',
  errorEnvelope: 'designate',
  typeNames: {},
  callsZonesDomains: false,
  ...columnOf(differences, 'plain'),
  ...columnOf(v1Differences, 'plain'),
  ...columnOf(ratingDifferences, 'rating'),
}

export const designate: Dialect = {
  name: 'designate',
  road: 'v2',
  errorEnvelope: 'designate',
  typeNames: {},
  callsZonesDomains: false,
  ...columnOf(differences, 'designate'),
  ...columnOf(v1Differences, 'designate'),
  ...columnOf(ratingDifferences, 'rating'),
}

/** Designate's first API, where a zone was called a domain, as the specification has it. */
export const v1: Dialect = { ...plain, name: 'v1', ...wordsOfV1() }

/** The same as programs that were written for it go by. */
export const designateV1: Dialect = {
  ...designate,
  name: 'designate-v1',
  ...wordsOfV1(),
}

function wordsOfV1() {
  return {
    road: 'v1',
    errorEnvelope: 'flat',
    typeNames: {
      zone_not_found: 'domain_not_found',
      duplicate_zone: 'duplicate_domain',
      invalid_zone_name: 'invalid_domain_name',
      zone_has_sub_zone: 'domain_has_sub_domain',
      zone_is_shared: 'domain_is_shared',
      method_not_allowed: 'invalid_method',
    },
    callsZonesDomains: true,
  } as const
}

/** The identity service: only its errors differ. */
export const keystone: Dialect = {
  ...designate,
  name: 'keystone',
  road: 'identity',
  errorEnvelope: 'keystone',
}

/** Usage rating, where the specification tells "who are you" and "you may not" apart, in CloudKitty's words. */
export const rating: Dialect = {
  ...designate,
  name: 'rating',
  road: 'rating',
  errorEnvelope: 'message',
  denialPrefix: 'You are not authorized to perform this action: ',
}

/** CloudKitty's second API, letter by letter. */
export const cloudkitty: Dialect = {
  ...rating,
  ...columnOf(ratingDifferences, 'cloudkitty'),
  name: 'cloudkitty',
}

/** CloudKitty's first API, which tells errors in an older form. */
export const cloudkittyV1: Dialect = {
  ...cloudkitty,
  name: 'cloudkitty-v1',
  errorEnvelope: 'fault',
  denialPrefix: `Policy doesn't allow this to be performed: `,
}

/** PowerDNS's API, for its own clients. */
export const powerDns: Dialect = {
  ...plain,
  name: 'powerdns',
  road: 'powerdns',
  errorEnvelope: 'error',
  invalid: 422,
  denied: 403,
}

function columnOf<
  N extends string,
  T extends Readonly<Record<string, Readonly<Record<N, unknown>>>>,
>(table: T, name: N) {
  const entries = Object.entries(table).map(([key, row]) => [key, row[name]])
  return Object.fromEntries(entries) as { [K in keyof T]: T[K][N] }
}

/** The HTTP status of a refusal in a dialect. */
export function statusOf(error: Pick<ApiError, 'status'>, dialect: Dialect): number {
  if (error.status === 400) return dialect.invalid ?? 400
  return error.status === 403 ? dialect.denied : error.status
}

/** What a refusal's type is called in a dialect. */
export function typeOf(error: Pick<ApiError, 'type'>, dialect: Dialect): string {
  return dialect.typeNames[error.type] ?? error.type
}

/** The words of a refusal in a dialect. */
export function messageOf(error: ApiError, dialect: Dialect): string {
  const worded = dialect.wording[error.message] ?? error.message
  const message = dialect.callsZonesDomains ? withDomains(worded) : worded
  return error.status === 403 ? dialect.denialPrefix + message : message
}

/** A message about zones as one about domains. What stands in quotes is a name that was asked for. */
function withDomains(message: string): string {
  return message.replaceAll(/'[^']*'|zone/gi, found => {
    if (found.startsWith("'")) return found
    return found.startsWith('Z') ? 'Domain' : 'domain'
  })
}
