import { isNameText } from '../dns/name.ts'
import type { FieldError } from '../errors.ts'
import type { Changes } from './changes.ts'
import { quote } from './quote.ts'
import type { Stamped } from './stamped.ts'

/** The algorithms of transaction signatures (RFC 8945 section 6), by Designate's names. */
export const tsigAlgorithms = [
  'hmac-md5',
  'hmac-sha1',
  'hmac-sha224',
  'hmac-sha256',
  'hmac-sha384',
  'hmac-sha512',
] as const

type TsigAlgorithm = (typeof tsigAlgorithms)[number]

/** The scope of a key: all zones of a pool, or one zone. */
export const tsigScopes = ['POOL', 'ZONE'] as const

type TsigScope = (typeof tsigScopes)[number]

/** A secret shared with other servers, which authenticates messages between them. */
export type TsigKey = Stamped & {
  /** A domain name, with or without its final dot. */
  readonly name: string
  readonly algorithm: TsigAlgorithm
  /** As given; base64 if other servers are to share it. */
  readonly secret: string
  readonly scope: TsigScope
  /** The id of a pool or a zone, depending on the scope. */
  readonly resourceId: string
}

/** The fields of a new key. */
export type TsigKeyDraft = Omit<TsigKey, keyof Stamped>

/** The form in which key names are compared, as domain names. */
export function tsigNameKey(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}

/** Checks those fields of a new or changed key that the schemas do not. */
export function tsigKeyErrors({ name }: Changes<TsigKeyDraft>): (FieldError | undefined)[] {
  if (name === undefined || isName(name)) return []
  return [
    {
      path: ['name'],
      message: `${quote(name)} is not a 'domainname', which a key's name is on the wire`,
      validator: 'format',
      validator_value: 'domainname',
    },
  ]
}

/** A key's name as an absolute domain name. Designate's clients allow free-form names, so a blank is taken literally. */
export function tsigWireText(name: string): string {
  const escaped = name.replaceAll(' ', '\\ ')
  return name.endsWith('.') ? escaped : `${escaped}.`
}

function isName(text: string): boolean {
  return text.trim() !== '' && text !== '.' && isNameText(tsigWireText(text))
}
