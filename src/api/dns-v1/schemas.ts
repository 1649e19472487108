import { ApiError } from '../../errors.ts'
import { maxEmailLength } from '../../model/limits.ts'
import { writtenRecordTypes } from '../../model/record-draft.ts'
import type { Dialect } from '../dialect.ts'
import { anything } from '../openapi/fields.ts'
import { type Route, route } from '../route.ts'
import { domainCreateSchema } from './domains.ts'
import { recordCreateSchema } from './records.ts'
import { serverCreateSchema } from './servers.ts'
import { tsigKeyCreateSchema } from './tsig-keys.ts'

// The resources as JSON Schema (draft 7), for programs that validate before they send or generate classes. The fields of bodies
// are those that bodies are checked with; fields that the server writes are marked as read-only.

/** The schemas of the resources. */
export function schemaRoutes(): readonly Route[] {
  return [
    route('GET /schemas/:schema_name', {
      access: 'principal',
      summary: 'Shows the JSON schema of a resource',
      answers: { 200: anything({ title: 'domain' }) },
      refusals: ['not_found'],
      respond({ baseUrl, dialect, parameters: { schema_name: name = '' } }) {
        const schema = schemaOf(name, { base: `${baseUrl}/schemas`, dialect })
        if (schema === undefined) throw new ApiError('not_found', 'There is no such schema')
        return schema
      },
    }),
  ]
}

const idField = { type: 'string', format: 'uuid', readOnly: true }
const timestamp = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}$'
const writtenTimes = {
  created_at: { type: 'string', pattern: timestamp, readOnly: true },
  updated_at: { type: ['string', 'null'], pattern: timestamp, readOnly: true },
}
const count = { type: 'integer', minimum: -1 }

/** The fields of the resources that have an id, and those required of a new one. */
const resources = {
  domain: {
    fields: {
      id: idField,
      ...domainCreateSchema.properties,
      email: { type: 'string', maxLength: maxEmailLength },
      serial: { type: 'integer', minimum: 0, maximum: 4_294_967_295, readOnly: true },
      ...writtenTimes,
    },
    required: ['name', 'email'],
  },
  record: {
    fields: {
      id: idField,
      domain_id: idField,
      ...recordCreateSchema.properties,
      type: {
        type: 'string',
        description: `One of ${writtenRecordTypes.join(', ')}; others are shown and not written`,
      },
      ...writtenTimes,
    },
    required: recordCreateSchema.required,
  },
  server: {
    fields: { id: idField, ...serverCreateSchema.properties, ...writtenTimes },
    required: serverCreateSchema.required,
  },
  tsigkey: {
    fields: { id: idField, ...tsigKeyCreateSchema.properties },
    required: tsigKeyCreateSchema.required,
  },
} as const

type ResourceName = keyof typeof resources
type Fields = Readonly<Record<string, object>>

const limitsSchema = object({
  limits: object({ absolute: object({ maxDomains: count, maxDomainRecords: count }) }),
})

/** What records of a list have besides. */
const listedRecordFields = {
  tenant_id: { type: ['string', 'null'], readOnly: true },
  version: { type: 'integer', minimum: 1, readOnly: true },
}

/** @param base the address below which schemas are */
function schemaOf(
  name: string,
  { base, dialect }: { readonly base: string; readonly dialect: Dialect },
): object | undefined {
  const listOf = (item: ResourceName) => ({ type: 'array', items: { $ref: `${base}/${item}` } })
  const all: Readonly<Record<string, () => object>> = {
    domain: () => resourceSchema('domain'),
    record: () => resourceSchema('record', dialect.showsRecordTenant ? listedRecordFields : {}),
    server: () => resourceSchema('server'),
    tsigkey: () => resourceSchema('tsigkey'),
    domains: () => object({ domains: listOf('domain') }),
    records: () => object({ records: listOf('record') }),
    servers: () => (dialect.keysServers ? object({ servers: listOf('server') }) : listOf('server')),
    tsigkeys: () => object({ tsigkeys: listOf('tsigkey') }),
    limits: () => limitsSchema,
  }
  if (!Object.hasOwn(all, name)) return undefined
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: `${base}/${name}`,
    title: name,
    ...all[name]?.(),
  }
}

function resourceSchema(name: ResourceName, others: Fields = {}): object {
  const { fields, required } = resources[name]
  return { ...object({ ...fields, ...others }), required }
}

/** An object with these fields, all required, and no others. */
function object(properties: Fields): object {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  }
}
