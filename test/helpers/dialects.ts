/** The path at which a dialect is served. */
export type DialectPlace = {
  readonly dialect: 'plain' | 'designate'
  readonly base: '/v2' | '/dns/v2'
  /** The status of a denied request. */
  readonly denied: 401 | 403
}

/** Both, for tests of their common behavior. */
export const dialectPlaces: readonly DialectPlace[] = [
  { dialect: 'plain', base: '/v2', denied: 401 },
  { dialect: 'designate', base: '/dns/v2', denied: 403 },
]
