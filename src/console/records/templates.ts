import { texts } from '../texts.ts'
import type { Draft } from './edits.ts'

/** Records that belong together, as providers require them. */
type Template = {
  readonly name: string
  /** @param zoneName with its final dot */
  readonly drafts: (zoneName: string) => readonly Draft[]
}

const mx = (...hosts: readonly string[]): Draft => draft('@', 'MX', hosts)
const txt = (name: string, text: string): Draft => draft(name, 'TXT', [`"${text}"`])

export const templates: readonly Template[] = [
  {
    name: texts.templates.google,
    drafts: () => [mx('1 smtp.google.com.'), txt('@', 'v=spf1 include:_spf.google.com ~all')],
  },
  {
    name: texts.templates.microsoft,
    drafts: zoneName => [
      mx(`0 ${zoneName.slice(0, -1).replaceAll('.', '-')}.mail.protection.outlook.com.`),
      txt('@', 'v=spf1 include:spf.protection.outlook.com -all'),
      draft('autodiscover', 'CNAME', ['autodiscover.outlook.com.']),
    ],
  },
  {
    name: texts.templates.fastmail,
    drafts: () => [
      mx('10 in1-smtp.messagingengine.com.', '20 in2-smtp.messagingengine.com.'),
      txt('@', 'v=spf1 include:spf.messagingengine.com ?all'),
    ],
  },
  {
    name: texts.templates.noMail,
    drafts: () => [mx('0 .'), txt('@', 'v=spf1 -all'), txt('_dmarc', 'v=DMARC1; p=reject')],
  },
  {
    name: texts.templates.letsEncrypt,
    drafts: () => [draft('@', 'CAA', ['0 issue "letsencrypt.org"'])],
  },
]

function draft(name: string, type: string, records: readonly string[]): Draft {
  return { name, type, ttl: null, records }
}
