import { texts } from '../texts.ts'

// Splits the value of a record into the fields of a form, and joins them again. The rules are those of the server: it gets
// what is typed here unchanged, and returns the errors.

/** One field of a value. */
type FieldKind = {
  readonly label: string
  readonly hint: string
  /** A domain name: one that is relative to the zone is completed. */
  readonly isName?: boolean
  readonly isNumber?: boolean
}

const say = texts.fields
const target: FieldKind = { label: say.target, hint: say.targetHint, isName: true }
const number = (label: string, hint: string): FieldKind => ({ label, hint, isNumber: true })
const text = (label: string, hint: string): FieldKind => ({ label, hint })
const service: readonly FieldKind[] = [
  number(say.priority, '1'),
  { ...target, hint: say.ownName },
  text(say.parameters, 'alpn=h2'),
]
const txt = [text(say.text, 'v=spf1 mx -all')]

const layouts: Readonly<Record<string, readonly FieldKind[]>> = {
  A: [text(say.ipv4, '192.0.2.1')],
  AAAA: [text(say.ipv6, '2001:db8::1')],
  CNAME: [target],
  DNAME: [target],
  ALIAS: [target],
  NS: [target],
  PTR: [target],
  MX: [number(say.priority, '10'), { ...target, label: say.mailServer, hint: 'mail' }],
  SRV: [number(say.priority, '0'), number(say.weight, '5'), number(say.port, '443'), target],
  CAA: [number(say.flags, '0'), text(say.tag, 'issue'), text(say.value, '"letsencrypt.org"')],
  TLSA: [
    number(say.usage, '3'),
    number(say.selector, '1'),
    number(say.matchingType, '1'),
    text(say.certificate, say.hexadecimal),
  ],
  SSHFP: [
    number(say.algorithm, '4'),
    number(say.hash, '2'),
    text(say.fingerprint, say.hexadecimal),
  ],
  DS: [
    number(say.keyTag, '12345'),
    number(say.algorithm, '13'),
    number(say.digestType, '2'),
    text(say.digest, say.hexadecimal),
  ],
  HTTPS: service,
  SVCB: service,
  NAPTR: [
    number(say.order, '100'),
    number(say.preference, '10'),
    text(say.flags, '"S"'),
    text(say.service, '"SIP+D2U"'),
    text(say.pattern, '""'),
    { ...target, label: say.replacement },
  ],
  TXT: txt,
  SPF: txt,
}

/** The types offered for a new record, the usual ones first. */
export const offeredTypes: readonly string[] = [
  ...['A', 'AAAA', 'CNAME', 'ALIAS', 'MX', 'TXT', 'SRV', 'CAA', 'NS', 'PTR'],
  ...['HTTPS', 'SVCB', 'TLSA', 'SSHFP', 'DS', 'NAPTR', 'DNAME', 'LOC', 'URI', 'CERT', 'SPF'],
]

const generic: readonly FieldKind[] = [text(say.value, say.generic)]

export function fieldsOf(type: string): readonly FieldKind[] {
  return layouts[type] ?? generic
}

/** Splits a value into as many fields as its type has; the last one gets the rest. */
export function splitValue(type: string, value: string): readonly string[] {
  const count = fieldsOf(type).length
  const fields: string[] = []
  let rest = value.trim()
  while (fields.length < count - 1) {
    const first = /^(?:"(?:[^"\\]|\\.)*"|\S)+/.exec(rest)?.[0] ?? ''
    fields.push(first)
    rest = rest.slice(first.length).trimStart()
  }
  return [...fields, rest]
}

/** Joins the fields to a value; names relative to the zone become absolute. */
export function joinValue(type: string, fields: readonly string[], zoneName: string): string {
  const kinds = fieldsOf(type)
  return fields
    .map((field, at) => (kinds[at]?.isName ? completeName(field.trim(), zoneName) : field.trim()))
    .join(' ')
    .trim()
}

/** A name as users type it: `@` is the zone, a single label is below it, and several labels are an absolute name. */
export function completeName(name: string, zoneName: string): string {
  if (name === '') return name
  if (name === '@') return zoneName
  const ascii = asciiName(name)
  if (ascii.endsWith('.')) return ascii
  return ascii.includes('.') ? `${ascii}.` : `${ascii}.${zoneName}`
}

/** A label of letters, digits, `_` and `-` with at least one that is not ASCII. */
const otherScripts = /(?<![^.])(?=[^.]*[^\0-\x7f])[\p{L}\p{M}\p{N}_-]+(?![^.])/gu

/** A name in ASCII: labels of other scripts as DNS has them (IDNA). A label that has no such form stays, for the server to say
 *  what is wrong with it. */
export function asciiName(name: string): string {
  return name.replaceAll(otherScripts, label => URL.parse(`http://${label}`)?.hostname ?? label)
}

/** A name as it is shown in its zone. */
export function relativeName(name: string, zoneName: string): string {
  if (name === zoneName) return '@'
  return name.endsWith(`.${zoneName}`) ? name.slice(0, -zoneName.length - 1) : name
}
