import { canonicalOwnerName } from './owner-name.ts'
import { tsigNameKey } from './tsig-key.ts'

// Who may change which names and types of a zone by dynamic update (RFC 2136). Only what a rule grants is allowed.

/** Which names a rule covers: the zone's; one; one and those below it; the name of the key; that name and those below it;
 *  those that a wildcard matches. */
export const updateMatches = ['zone', 'name', 'subdomain', 'self', 'self_sub', 'wildcard'] as const

export type UpdateRule = {
  /** The name of the key that signs; null: the update may be unsigned. */
  readonly keyName: string | null
  /** Addresses and networks that the update may come from; none: any. */
  readonly addresses: readonly string[]
  readonly match: (typeof updateMatches)[number]
  /** Absolute; null where the match needs no name. */
  readonly name: string | null
  /** Mnemonics; `ANY` means all. None: all but those essential to a zone (`keptTypes`). */
  readonly types: readonly string[]
}

/** Who asks for a change. */
type UpdateSender = {
  /** The name of the key that signed, if any. */
  readonly keyName: string | undefined
  /** Whether an address or network of a rule contains the client's address. */
  readonly isFrom: (network: string) => boolean
}

/** Types that a rule covers only if it names them. */
const keptTypes: readonly string[] = ['SOA', 'NS', 'RRSIG', 'NSEC', 'NSEC3', 'NSEC3PARAM', 'DNSKEY']

/** Returns whether the sender may change a type of an absolute name: an update has thousands of changes, for which the rules
 *  are read once. */
export function permissionsOf(
  rules: readonly UpdateRule[],
  sender: UpdateSender,
): (name: string, type: string) => boolean {
  const own = rules
    .filter(rule => isSender(rule, sender))
    .map(rule => ({ isOfName: nameTestOf(rule, sender), isOfType: typeTestOf(rule) }))
  return (name, type) => {
    const key = nameKey(name)
    return own.some(({ isOfName, isOfType }) => isOfName(key) && isOfType(type))
  }
}

/** Whether any rule applies to a client. */
export function mayUpdate(rules: readonly UpdateRule[], sender: UpdateSender): boolean {
  return rules.some(rule => isSender(rule, sender))
}

function isSender({ addresses, ...rule }: UpdateRule, { keyName, isFrom }: UpdateSender): boolean {
  if (rule.keyName !== null) {
    if (keyName === undefined || tsigNameKey(rule.keyName) !== tsigNameKey(keyName)) return false
  } else if (addresses.length === 0) return false
  return addresses.length === 0 || addresses.some(isFrom)
}

/** The test of names as `nameKey` gives them. */
function nameTestOf(
  { match, name }: UpdateRule,
  { keyName }: UpdateSender,
): (given: string) => boolean {
  const own = nameKey(name ?? '')
  const key = keyName === undefined ? undefined : nameKey(`${tsigNameKey(keyName)}.`)
  const ending = own.replace(/^\*/, '')
  switch (match) {
    case 'zone':
      return () => true
    case 'name':
      return given => given === own
    case 'subdomain':
      return given => isAtOrBelow(given, own)
    case 'self':
      return given => given === key
    case 'self_sub':
      return given => key !== undefined && isAtOrBelow(given, key)
    case 'wildcard':
      return given => given !== own && given.endsWith(ending)
  }
}

function typeTestOf({ types }: UpdateRule): (type: string) => boolean {
  if (types.length === 0) return type => !keptTypes.includes(type)
  return type => types.includes('ANY') || types.includes(type)
}

function nameKey(name: string): string {
  return canonicalOwnerName(name).toLowerCase()
}

function isAtOrBelow(name: string, ancestor: string): boolean {
  return name === ancestor || name.endsWith(`.${ancestor}`)
}
