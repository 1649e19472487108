import { isInAnswerOf, isPending, isServed, type Presence } from './presence.ts'

/** The facts about a key that rolls need. */
export type KeyRecords = {
  readonly algorithm: number
  /** Its DNSKEY, and with it the signature of that RRset. */
  readonly dnskey: Presence
  /** Its signatures of all other RRsets; null for a key that signs DNSKEY only (KSK). */
  readonly zoneSignatures: Presence | null
  /** Its DS in the parent; null for a key that signs all other RRsets only (ZSK). */
  readonly ds: Presence | null
}

type View<Key> = ReadonlySet<Key>

/** Whether every resolver validates the zone, whatever it may have in its cache: DS, DNSKEY and signatures may each be as
 *  old as the states of the keys say, independently of each other. */
export function isValidInEveryCache(keys: readonly KeyRecords[]): boolean {
  const dnskeyViews = views(keys, 'dnskey')
  const signatureViews = views(keys, 'zoneSignatures')
  return dsViews(keys).every(ds =>
    dnskeyViews.every(dnskeys => signatureViews.every(signers => isValid(ds, dnskeys, signers))),
  )
}

/** RFC 4035 section 2.2, as the strictest resolvers read it: the DNSKEY RRset is signed with every algorithm that DS has, and
 *  all else with every algorithm that DNSKEY has. Without DS the zone is insecure, and nothing is checked. */
function isValid<Key extends KeyRecords>(
  ds: View<Key>,
  dnskeys: View<Key>,
  signers: View<Key>,
): boolean {
  if (ds.size === 0) return true
  const signs = (these: View<Key>, algorithm: number) =>
    [...these].some(key => key.algorithm === algorithm && dnskeys.has(key))
  return (
    [...ds].every(({ algorithm }) => signs(ds, algorithm)) &&
    [...dnskeys].every(({ algorithm }) => signs(signers, algorithm))
  )
}

/** The sets of keys that caches may have records of: one for each moment at which the set was changed. */
function views<Key extends KeyRecords>(
  keys: readonly Key[],
  record: 'dnskey' | 'zoneSignatures',
): View<Key>[] {
  const moments = keys.flatMap(({ [record]: presence }) =>
    presence !== null && isPending(presence) ? [presence.since, presence.from ?? -Infinity] : [],
  )
  return [...new Set([-Infinity, ...moments])].map(moment => {
    const inAnswer = keys.filter(({ [record]: presence }) => {
      return presence !== null && isInAnswerOf(presence, moment)
    })
    return new Set(inAnswer)
  })
}

/** The same for DS. The parent applies changes at any time and in any order, so that any part of them may be seen. */
function dsViews<Key extends KeyRecords>(keys: readonly Key[]): View<Key>[] {
  let known: readonly (readonly Key[])[] = [[]]
  for (const key of keys) {
    if (key.ds === null || key.ds.state === 'HIDDEN') continue
    const extended = known.map(view => [...view, key])
    known = isPending(key.ds) ? [...known, ...extended] : extended
  }
  return known.map(view => new Set(view))
}

/** Whether a key is still visible anywhere. */
export function isGone({ dnskey, zoneSignatures, ds }: KeyRecords): boolean {
  return [dnskey, zoneSignatures, ds].every(presence => (presence?.state ?? 'HIDDEN') === 'HIDDEN')
}

/** Whether the parent is to have a DS of the key. */
export function wantsDs({ ds }: KeyRecords): boolean {
  return ds !== null && isServed(ds)
}
