import { isIPv6 } from 'node:net'
import { type Static, Type } from 'typebox'
import { ApiError } from '../../errors.ts'
import { maxDescriptionLength, maxMasters } from '../../model/limits.ts'
import { splitLongTexts } from '../../model/record-values.ts'
import type { Recordset } from '../../model/recordset.ts'
import type { RecordsetDraft } from '../../model/recordset-draft.ts'
import type { ZoneDraft } from '../../model/zone-draft.ts'
import { component } from '../openapi/fields.ts'

// Bodies of PowerDNS's API. Its clients send back what they were shown, so fields without a meaning here are ignored.

const recordSchema = Type.Object({
  content: Type.String({ minLength: 1 }),
  disabled: Type.Optional(Type.Boolean()),
})

const rrsetFields = {
  name: Type.String({ minLength: 1 }),
  type: Type.String({ minLength: 1 }),
  ttl: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
  records: Type.Optional(Type.Array(recordSchema)),
  comments: Type.Optional(Type.Array(Type.Object({ content: Type.String() }))),
}

const rrsetSchema = component('rrset', rrsetFields, {
  name: 'www.example.com.',
  type: 'A',
  ttl: 300,
  records: [{ content: '192.0.2.1' }],
})

const masters = Type.Optional(Type.Array(Type.String({ maxLength: 300 }), { maxItems: maxMasters }))

/** Body of `POST …/zones`. */
export const zoneCreateSchema = component(
  'zone',
  {
    name: Type.String({ minLength: 1 }),
    kind: Type.String(),
    masters,
    nameservers: Type.Optional(Type.Array(Type.String())),
    rrsets: Type.Optional(Type.Array(rrsetSchema)),
    zone: Type.Optional(Type.String()),
    dnssec: Type.Optional(Type.Boolean()),
  },
  { name: 'example.com.', kind: 'Native' },
)

/** Body of `PUT …/zones/<id>`. */
export const zonePutSchema = component(
  'zone',
  {
    kind: Type.Optional(Type.String()),
    masters,
    dnssec: Type.Optional(Type.Boolean()),
  },
  { kind: 'Slave', masters: ['192.0.2.1'] },
)

/** Body of `PATCH …/zones/<id>`. */
export const zonePatchSchema = component(
  'zone',
  { rrsets: Type.Array(Type.Object({ ...rrsetFields, changetype: Type.String() })) },
  {
    rrsets: [
      {
        name: 'www.example.com.',
        type: 'A',
        ttl: 300,
        changetype: 'REPLACE',
        records: [{ content: '192.0.2.1' }],
      },
    ],
  },
)

export type RrsetBody = Static<typeof rrsetSchema>

/** An RRset that may have no TTL. */
export type Changed = Omit<RrsetBody, 'ttl'> & { readonly ttl?: number | undefined }

const typesByKind: ReadonlyMap<string, ZoneDraft['type']> = new Map([
  ['native', 'PRIMARY'],
  ['master', 'PRIMARY'],
  ['primary', 'PRIMARY'],
  ['slave', 'SECONDARY'],
  ['secondary', 'SECONDARY'],
])

/** @throws ApiError bad_request there are no zones of this kind here */
export function zoneTypeOf(kind: string): ZoneDraft['type'] {
  const type = typesByKind.get(kind.toLowerCase())
  if (type !== undefined) return type
  throw new ApiError('bad_request', `There are no zones of the kind ${kind} here`)
}

/** The draft of a zone. Its name servers are those of its pool, and the server keeps its SOA, for which a given SOA only
 *  supplies the responsible person. */
export function zoneDraftFromBody({
  name,
  kind,
  masters = [],
  rrsets = [],
}: Static<typeof zoneCreateSchema>): ZoneDraft {
  const type = zoneTypeOf(kind)
  const common = { name, type, ttlSeconds: null, description: null, attributes: {} }
  if (type === 'SECONDARY') return { ...common, email: null, masters: mastersIn(masters) }
  const soa = rrsets.find(rrset => rrset.type === 'SOA')?.records?.[0]?.content
  return { ...common, email: emailIn(soa) ?? defaultEmail(name), masters: [] }
}

/** Masters as they are stored: PowerDNS has IPv6 addresses without brackets. */
export function mastersIn(masters: readonly string[]): readonly string[] {
  return masters.map(master => (isIPv6(master) ? `[${master}]` : master))
}

/** An address in the zone, or above it where the zone's name is not a host name, as below `in-addr.arpa` (RFC 2317). */
function defaultEmail(zoneName: string): string {
  return `hostmaster@${zoneName.replace(/^.*\/[^.]*\./, '').replace(/\.$/, '')}`
}

/** RNAME of a SOA as an address: the first dot that is not escaped stands for the at sign (RFC 1035 section 8). */
function emailIn(soa: string | undefined): string | undefined {
  const rname = soa?.split(/\s+/)[1]
  const parts = /^((?:[^.\\]|\\.)+)\.(.+?)\.?$/.exec(rname ?? '')
  return parts === null ? undefined : `${parts[1]?.replaceAll('\\', '')}@${parts[2]}`
}

/** The form in which an RRset is stored: PowerDNS reads types without regard to case, and takes texts of any length. */
export function keptForm<Sent extends RrsetBody>(rrset: Sent): Sent {
  const type = rrset.type.toUpperCase()
  const records = rrset.records?.map(record => {
    const [content = record.content] = splitLongTexts(type, [record.content])
    return { ...record, content }
  })
  return { ...rrset, type, ...(records && { records }) }
}

/** @throws ApiError bad_request a record is disabled, which none can be here, or the comments are too long */
export function recordsetDraftFromBody(rrset: Changed): RecordsetDraft {
  const { name, type, ttl, records = [], comments = [] } = rrset
  if (records.some(record => record.disabled === true))
    throw new ApiError('bad_request', `${name} ${type}: records cannot be disabled here`)
  const description = comments.map(comment => comment.content).join('\n')
  if (description.length > maxDescriptionLength)
    throw new ApiError(
      'bad_request',
      `${name} ${type}: comments have at most ${maxDescriptionLength} characters together`,
    )
  return {
    name,
    type,
    ttlSeconds: ttl ?? null,
    description: description || null,
    records: records.map(({ content }) => content),
  }
}

/** Whether the server manages an RRset itself: the SOA, and the NS of the apex. */
export function isKept(
  { name, type }: Pick<RrsetBody, 'name' | 'type'>,
  zoneName: string,
): boolean {
  const isApex = name.toLowerCase() === zoneName.toLowerCase()
  return isApex && (type === 'SOA' || type === 'NS')
}

/** Whether an RRset that the server manages is sent unchanged, except for the serial. */
export function isAsKept({ records }: RecordsetDraft, kept: Recordset | undefined): boolean {
  const comparable = (record: string) =>
    kept?.type === 'SOA' ? record.split(/\s+/).toSpliced(2, 1).join(' ') : record
  const sorted = (all: readonly string[]) => all.map(comparable).sort().join('\n').toLowerCase()
  return kept !== undefined && sorted(records) === sorted(kept.records)
}
