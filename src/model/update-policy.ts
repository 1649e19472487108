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

/** A change to check against the rules. */
type UpdateQuestion = {
  /** The name of the key that signed, if any. */
  readonly keyName: string | undefined
  /** Whether an address or network of a rule contains the client's address. */
  readonly isFrom: (network: string) => boolean
  /** Absolute. */
  readonly name: string
  readonly type: string
}

/** Types that a rule covers only if it names them. */
const keptTypes: readonly string[] = ['SOA', 'NS', 'RRSIG', 'NSEC', 'NSEC3', 'NSEC3PARAM', 'DNSKEY']

export function isUpdateAllowed(rules: readonly UpdateRule[], question: UpdateQuestion): boolean {
  return rules.some(
    rule => isSender(rule, question) && isOfName(rule, question) && isOfType(rule, question),
  )
}

/** Whether any rule applies to a client. */
export function mayUpdate(
  rules: readonly UpdateRule[],
  sender: Pick<UpdateQuestion, 'keyName' | 'isFrom'>,
): boolean {
  return rules.some(rule => isSender(rule, sender))
}

function isSender(
  rule: UpdateRule,
  { keyName, isFrom }: Pick<UpdateQuestion, 'keyName' | 'isFrom'>,
): boolean {
  const { addresses } = rule
  if (rule.keyName !== null) {
    if (keyName === undefined || tsigNameKey(rule.keyName) !== tsigNameKey(keyName)) return false
  } else if (addresses.length === 0) return false
  return addresses.length === 0 || addresses.some(isFrom)
}

function isOfName(rule: UpdateRule, { name, keyName }: UpdateQuestion): boolean {
  const given = nameKey(name)
  const own = nameKey(rule.name ?? '')
  const key = keyName === undefined ? undefined : nameKey(`${tsigNameKey(keyName)}.`)
  switch (rule.match) {
    case 'zone':
      return true
    case 'name':
      return given === own
    case 'subdomain':
      return isAtOrBelow(given, own)
    case 'self':
      return given === key
    case 'self_sub':
      return key !== undefined && isAtOrBelow(given, key)
    case 'wildcard':
      return given !== own && given.endsWith(own.replace(/^\*/, ''))
  }
}

function isOfType({ types }: UpdateRule, { type }: UpdateQuestion): boolean {
  if (types.length === 0) return !keptTypes.includes(type)
  return types.includes('ANY') || types.includes(type)
}

function nameKey(name: string): string {
  return canonicalOwnerName(name).toLowerCase()
}

function isAtOrBelow(name: string, ancestor: string): boolean {
  return name === ancestor || name.endsWith(`.${ancestor}`)
}
