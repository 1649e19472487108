import type { Road } from '../actor.ts'
import type { ApiError, ErrorType } from '../errors.ts'
import { blacklistedZoneMessage } from '../model/blacklist.ts'

// A dialect presents the same outcome to different clients; it is one value, used only when a response is shaped. `plain` is
// the specification to the letter, `designate` has what Designate's own clients break without, `keystone` is the form of the
// identity service, `rating` that of usage rating, `cloudkitty` and `cloudkittyV1` are what CloudKitty's own clients expect,
// and `v1` and `designateV1` the forms of Designate's first API. Services never see it.

/** Every difference between the specification and Designate, side by side. Everything else is the same in both. */
export const differences = {
  /** Status of the calls that succeed. */
  zoneCreated: { plain: 201, designate: 202 },
  zoneUpdated: { plain: 200, designate: 202 },
  recordsetCreated: { plain: 201, designate: 202 },
  recordsetUpdated: { plain: 200, designate: 202 },
  recordsetDeleted: { plain: 204, designate: 202 },
  /** Whether deleting a zone (202) or a recordset answers with the object or with an empty body. */
  showsDeleted: { plain: false, designate: true },
  /** Whether the response to a change shows it in progress (status PENDING with its action), as polling clients expect, or as it
   *  really is: served. */
  showsPending: { plain: false, designate: true },
  /** Whether an import has, besides its message, a report of what it left out and changed. */
  showsReports: { plain: true, designate: false },
  /** Whether the values of an NS recordset can be changed; otherwise it has to be deleted and created again. */
  updatesNs: { plain: false, designate: true },
  /** Whether blacklists apply to every new zone, or not to those of administrators. */
  isBoundByBlacklists: { plain: true, designate: false },
  /** Whether administrators may have SECONDARY zones of a single label. */
  mayCopyTopLevels: { plain: true, designate: false },
  /** `masters` of a zone that has none: clients of Designate iterate it. */
  noMasters: { plain: null, designate: [] },
  /** Whether a SECONDARY zone must have masters from the start, or is not transferred in until they are set. */
  needsMasters: { plain: false, designate: true },
  /** Whether recordsets of a SECONDARY zone are read-only for administrators too. */
  keepsSecondariesReadOnly: { plain: true, designate: false },
  /** Whether recordsets may have only names of hosts, or any name, escaped. */
  takesHostNamesOnly: { plain: false, designate: true },
  /** Whether names of recordsets may be relative to their zone. */
  takesRelativeNames: { plain: true, designate: false },
  /** Whether zones and recordsets have entity tags, and changes may be conditional on them. */
  hasEntityTags: { plain: true, designate: false },
  /** The names of the server's parts in their statuses. */
  serviceNaming: { plain: 'own', designate: 'designate' },
  /** Status for a missing permission. The specification has the same status for it and for missing credentials. */
  denied: { plain: 401, designate: 403 },
  /** The prefix of the message of such a response. */
  denialPrefix: { plain: 'Access Denied: ', designate: '' },
  /** Messages with another wording. */
  wording: { plain: { [blacklistedZoneMessage]: 'Blacklisted domain name' }, designate: {} },
} as const satisfies Record<string, { readonly plain: unknown; readonly designate: unknown }>

/** Every further difference between them in the older group. */
export const v1Differences = {
  /** Whether name servers are listed under a key, as its programs expect, or as a bare array. */
  keysServers: { plain: false, designate: true },
  /** Whether lists of records have `tenant_id` and `version`, which its programs refuse. */
  showsRecordTenant: { plain: true, designate: false },
  /** Whether quotas include that of exports. */
  hasExportQuota: { plain: false, designate: true },
} as const satisfies Record<string, { readonly plain: unknown; readonly designate: unknown }>

/** Every difference between the specification and CloudKitty in a route that both have, side by side. */
export const ratingDifferences = {
  /** Whether a search without data frames is answered with 404, or with an empty list. */
  refusesEmptyDataframes: { rating: false, cloudkitty: true },
  /** Whether the `state` of a scope has a special form, `2026-11-01 05:00:00`, or that of all timestamps. */
  spacesScopeState: { rating: true, cloudkitty: false },
  /** Whether summaries are for bookkeeping: also as CSV, and money with the decimal places of the currency, or with all of them
   *  on request; otherwise money is a float. */
  hasBookkeeping: { rating: true, cloudkitty: false },
} as const satisfies Record<string, { readonly rating: unknown; readonly cloudkitty: unknown }>

type Differences = typeof differences
type Difference = keyof Differences
type Column = 'plain' | 'designate'
type V1Differences = typeof v1Differences
type RatingDifferences = typeof ratingDifferences

/** How responses are shaped for one kind of client. */
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
  /** The road that the history records for changes made in it. */
  readonly road: Road
  /** The form of an error body: `{code, type, message, …}` with wrong fields as `errors.errors[]`, the same
   *  with a flat `errors[]`, `{"error": {code, title, message}}`, `{"message"}`, `{"faultstring", …}`, or
   *  `{"error": message}`. */
  readonly errorEnvelope: 'designate' | 'flat' | 'keystone' | 'message' | 'fault' | 'error'
  /** Status of an invalid request, where that is not 400. */
  readonly invalid?: number
  /** Other names of types of refusals. */
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
  ...plain,
  name: 'designate',
  ...columnOf(differences, 'designate'),
  ...columnOf(v1Differences, 'designate'),
}

const wordsOfV1 = {
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

/** Designate's first API, where a zone was called a domain, as the specification has it. */
export const v1: Dialect = { ...plain, name: 'v1', ...wordsOfV1 }

/** The same in the form that programs written for it expect. */
export const designateV1: Dialect = { ...designate, name: 'designate-v1', ...wordsOfV1 }

/** The identity service: only its errors differ. */
export const keystone: Dialect = {
  ...designate,
  name: 'keystone',
  road: 'identity',
  errorEnvelope: 'keystone',
}

/** Usage rating, where the specification distinguishes missing credentials from a missing permission, in CloudKitty's words. */
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

/** CloudKitty's first API, which reports errors in an older form. */
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

/** The name of a refusal's type in a dialect. */
export function typeOf(error: Pick<ApiError, 'type'>, dialect: Dialect): string {
  return dialect.typeNames[error.type] ?? error.type
}

/** The message of a refusal in a dialect. */
export function messageOf(error: ApiError, dialect: Dialect): string {
  const worded = dialect.wording[error.message] ?? error.message
  const message = dialect.callsZonesDomains ? withDomains(worded) : worded
  return error.status === 403 ? dialect.denialPrefix + message : message
}

/** A message about zones, reworded for domains. Text in quotes is a requested name, and stays. */
function withDomains(message: string): string {
  return message.replaceAll(/'[^']*'|zone/gi, found => {
    if (found.startsWith("'")) return found
    return found.startsWith('Z') ? 'Domain' : 'domain'
  })
}
