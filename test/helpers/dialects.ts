/** Where a dialect is told. */
export type DialectPlace = {
  readonly dialect: 'plain' | 'designate'
  readonly base: '/v2' | '/dns/v2'
  /** What "you may not" is told with. */
  readonly denied: 401 | 403
}

/** Both, for tests that are about what is the same in them. */
export const dialectPlaces: readonly DialectPlace[] = [
  { dialect: 'plain', base: '/v2', denied: 401 },
  { dialect: 'designate', base: '/dns/v2', denied: 403 },
]
