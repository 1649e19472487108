// How the value of a record is cut into the fields of a form, and put together again. Rules are the server's: what is
// typed here goes there as it is, and comes back with what is wrong with it.

/** One field of a value. */
export type FieldKind = {
  readonly label: string
  readonly hint: string
  /** A domain name: one that is relative to the zone is completed. */
  readonly isName?: boolean
  readonly isNumber?: boolean
}

const target: FieldKind = { label: 'Target', hint: 'www or www.example.net.', isName: true }
const number = (label: string, hint: string): FieldKind => ({ label, hint, isNumber: true })
const text = (label: string, hint: string): FieldKind => ({ label, hint })

const layouts: Readonly<Record<string, readonly FieldKind[]>> = {
  A: [text('IPv4 address', '192.0.2.1')],
  AAAA: [text('IPv6 address', '2001:db8::1')],
  CNAME: [target],
  DNAME: [target],
  ALIAS: [target],
  NS: [target],
  PTR: [target],
  MX: [number('Priority', '10'), { ...target, label: 'Mail server', hint: 'mail' }],
  SRV: [number('Priority', '0'), number('Weight', '5'), number('Port', '443'), target],
  CAA: [number('Flags', '0'), text('Tag', 'issue'), text('Value', '"letsencrypt.org"')],
  TLSA: [
    number('Usage', '3'),
    number('Selector', '1'),
    number('Matching type', '1'),
    text('Certificate data', 'hexadecimal'),
  ],
  SSHFP: [number('Algorithm', '4'), number('Hash', '2'), text('Fingerprint', 'hexadecimal')],
  DS: [
    number('Key tag', '12345'),
    number('Algorithm', '13'),
    number('Digest type', '2'),
    text('Digest', 'hexadecimal'),
  ],
  HTTPS: [
    number('Priority', '1'),
    { ...target, hint: '. for this name' },
    text('Parameters', 'alpn=h2'),
  ],
  SVCB: [
    number('Priority', '1'),
    { ...target, hint: '. for this name' },
    text('Parameters', 'alpn=h2'),
  ],
  NAPTR: [
    number('Order', '100'),
    number('Preference', '10'),
    text('Flags', '"S"'),
    text('Service', '"SIP+D2U"'),
    text('Pattern', '""'),
    { ...target, label: 'Replacement' },
  ],
  TXT: [text('Text', 'v=spf1 mx -all')],
  SPF: [text('Text', 'v=spf1 mx -all')],
}

/** The types that a new record is offered, the usual ones first. */
export const offeredTypes: readonly string[] = [
  ...['A', 'AAAA', 'CNAME', 'ALIAS', 'MX', 'TXT', 'SRV', 'CAA', 'NS', 'PTR'],
  ...['HTTPS', 'SVCB', 'TLSA', 'SSHFP', 'DS', 'NAPTR', 'DNAME', 'LOC', 'URI', 'CERT', 'SPF'],
]

const generic: readonly FieldKind[] = [text('Value', 'as in a zone file')]

export function fieldsOf(type: string): readonly FieldKind[] {
  return layouts[type] ?? generic
}

/** Cuts a value into as many fields as its type has; the last one has what is left. */
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

/** Puts a value together, with names relative to the zone made whole. */
export function joinValue(type: string, fields: readonly string[], zoneName: string): string {
  const kinds = fieldsOf(type)
  return fields
    .map((field, at) => (kinds[at]?.isName ? completeName(field.trim(), zoneName) : field.trim()))
    .join(' ')
    .trim()
}

/** A name as a person types it: `@` is the zone, one label is below it, and several labels are a whole name. */
export function completeName(name: string, zoneName: string): string {
  if (name === '' || name.endsWith('.')) return name
  if (name === '@') return zoneName
  return name.includes('.') ? `${name}.` : `${name}.${zoneName}`
}

/** A name as it is shown in its zone. */
export function relativeName(name: string, zoneName: string): string {
  if (name === zoneName) return '@'
  return name.endsWith(`.${zoneName}`) ? name.slice(0, -zoneName.length - 1) : name
}
