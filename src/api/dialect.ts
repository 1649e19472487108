import type { ApiError } from '../errors.ts'
import { blacklistedZoneMessage } from '../model/blacklist.ts'

// The same outcome told to different clients: one value, read only when a response is shaped. `plain` is the
// specification's letter, `designate` what Designate's own clients break without, `keystone` the words of the
// identity service, and `rating` those of usage rating. Services never see it.

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
  /** Whether an NS record set, once created, can get other values; otherwise it is deleted and made anew. */
  updatesNs: { plain: false, designate: true },
  /** `masters` of a PRIMARY zone: clients of Designate iterate it. */
  primaryMasters: { plain: null, designate: [] },
  /** Status of "you may not". The specification knows one answer for it and for "who are you". */
  denied: { plain: 401, designate: 403 },
  /** What the message of such an answer begins with. */
  denialPrefix: { plain: 'Access Denied: ', designate: '' },
  /** Messages that are told in other words. */
  wording: { plain: { [blacklistedZoneMessage]: 'Blacklisted domain name' }, designate: {} },
} as const satisfies Record<string, { readonly plain: unknown; readonly designate: unknown }>

type Differences = typeof differences

/** How one kind of clients is told of outcomes. */
export type Dialect = {
  readonly name: 'plain' | 'designate' | 'keystone' | 'rating'
  /** The form of an error body: `{code, type, message, …}`, `{"error": {code, title, message}}`, or
   *  `{"message"}`. */
  readonly errorEnvelope: 'designate' | 'keystone' | 'message'
} & {
  readonly [K in Exclude<keyof Differences, 'denialPrefix'>]: Differences[K]['plain' | 'designate']
} & { readonly denialPrefix: string }

export const plain: Dialect = { name: 'plain', errorEnvelope: 'designate', ...columnOf('plain') }

export const designate: Dialect = {
  name: 'designate',
  errorEnvelope: 'designate',
  ...columnOf('designate'),
}

/** The identity service: only its errors differ. */
export const keystone: Dialect = { ...designate, name: 'keystone', errorEnvelope: 'keystone' }

/** Usage rating, where the specification tells "who are you" and "you may not" apart, in CloudKitty's words. */
export const rating: Dialect = {
  ...designate,
  name: 'rating',
  errorEnvelope: 'message',
  denialPrefix: 'You are not authorized to perform this action: ',
}

function columnOf<N extends 'plain' | 'designate'>(name: N) {
  const entries = Object.entries(differences).map(([key, row]) => [key, row[name]])
  return Object.fromEntries(entries) as { [K in keyof Differences]: Differences[K][N] }
}

/** The HTTP status of a refusal in a dialect. */
export function statusOf(error: ApiError, dialect: Dialect): number {
  return error.status === 403 ? dialect.denied : error.status
}

/** The words of a refusal in a dialect. */
export function messageOf(error: ApiError, dialect: Dialect): string {
  const wording: Readonly<Record<string, string | undefined>> = dialect.wording
  const message = wording[error.message] ?? error.message
  return error.status === 403 ? dialect.denialPrefix + message : message
}
