import type { TSchema } from 'typebox'
import { leastRoleOf } from '../../identity/policy.ts'
import type { Dialect } from '../dialect.ts'
import type { Answers, Route } from '../route.ts'
import type { Mount } from '../route-table.ts'
import { Components } from './components.ts'
import {
  byStatus,
  type Refusals,
  refusalExample,
  refusalSchema,
  refusalsOf,
  wordsOf,
} from './refusals.ts'

// The OpenAPI document (OpenAPI 3.1.1), generated from the served routes: their paths, the schemas that check bodies, and the
// declared answers.

type Json = Readonly<Record<string, unknown>>

export type OpenApiDocument = {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>
  readonly components: Json
} & Json

const description = `Zonewright manages DNS zones, answers from them and meters what it answered.

\`/v2\` and \`/v1\` are its own; \`/dns\`, \`/rating\` and \`/identity\` are what clients of OpenStack Designate, CloudKitty and
Keystone expect; \`/api/v1\` is what clients of PowerDNS expect. Log in with HTTP Basic (user name and password, or id and
secret of an application credential), or with a token of \`POST /identity/v3/auth/tokens\` in \`X-Auth-Token\`.`

/** The headers of answers besides those of HTTP itself, and which answers may have them. */
const answerHeaders: Readonly<
  Record<string, { readonly description: string; readonly isOf: (answer: Answered) => boolean }>
> = {
  'X-Openstack-Request-Id': {
    description: 'What the log calls the request.',
    isOf: () => true,
  },
  Location: {
    description: 'Where what was made is, or what was asked for.',
    isOf: ({ status }) => [201, 202, 301, 302].includes(status),
  },
  ETag: {
    description: 'The version of a zone or recordset, for If-Match and If-None-Match.',
    isOf: ({ status, mount }) => [200, 201, 304].includes(status) && mount.dialect.hasEntityTags,
  },
  'Idempotency-Replayed': {
    description: 'The answer is that of an earlier request with the same Idempotency-Key.',
    isOf: ({ status, route }) => status < 300 && takesKey(route),
  },
  Allow: { description: 'The methods that there are.', isOf: ({ status }) => status === 405 },
  'Retry-After': {
    description: 'After how many seconds it may be taken.',
    isOf: ({ status }) => status === 429 || status === 503,
  },
}

type Answered = Placed & { readonly status: number }

function headersOf(answered: Answered): Json {
  const names = Object.entries(answerHeaders).filter(([, { isOf }]) => isOf(answered))
  const references = names.map(([name]) => [name, { $ref: `#/components/headers/${name}` }])
  return { headers: Object.fromEntries(references) }
}

const securitySchemes = {
  token: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' },
  password: { type: 'http', scheme: 'basic' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
}

/** The document of all served routes. */
export function openApiDocument(
  mounts: readonly Mount[],
  { version }: { readonly version: string },
): OpenApiDocument {
  const components = new Components()
  const paths: Record<string, Record<string, Json>> = {}
  for (const mount of mounts)
    for (const route of mount.routes) {
      const address = addressOf(mount, route)
      const path = address.replaceAll(/:(\w+)/g, '{$1}')
      paths[path] = {
        ...paths[path],
        [route.method.toLowerCase()]: operation({ mount, route, address }, components),
      }
    }
  const { schemas, responses } = components
  const headers = Object.entries(answerHeaders).map(([name, { description: said }]) => [
    name,
    { description: said, schema: { type: 'string' } },
  ])
  return {
    openapi: '3.1.1',
    info: {
      title: 'Zonewright',
      version,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths: Object.fromEntries(
      Object.entries(paths).sort(([one], [other]) => (one < other ? -1 : 1)),
    ),
    components: { schemas, responses, headers: Object.fromEntries(headers), securitySchemes },
  }
}

/** The path of a route, parameters with a colon. */
export function addressOf({ base }: Pick<Mount, 'base'>, { path }: Pick<Route, 'path'>): string {
  return `${base}${path}`.replace(/(.)\/$/, '$1')
}

/** The successful answers of a route in a dialect. */
export function answersOf({ answers }: Route, dialect: Dialect): Answers {
  return typeof answers === 'function' ? answers(dialect) : answers
}

type Placed = { readonly mount: Mount; readonly route: Route; readonly address: string }

function operation(placed: Placed, components: Components): Json {
  const { mount, route, address } = placed
  const { method, summary, bodySchema } = route
  const [firstSegment = ''] = route.path
    .split('/')
    .filter(segment => !segment.startsWith(':') && segment !== '')
  return {
    tags: [[mount.base, firstSegment].filter(part => part !== '').join('/') || '/'],
    operationId: `${method.toLowerCase()}${address.replaceAll(/[^A-Za-z0-9]+/g, '_')}`,
    summary,
    description: audienceOf(route),
    ...parametersOf(placed, components),
    ...(bodySchema !== undefined &&
      method !== 'GET' && { requestBody: requestBody(route, bodySchema, components) }),
    security: securityOf(placed),
    responses: responsesOf(placed, components),
  }
}

function audienceOf(route: Route): string {
  if (route.access === 'public') return 'For anyone.'
  if (route.rule === undefined) return 'For all who are logged in, as far as it is theirs.'
  const role = leastRoleOf(route.rule)
  return role === 'anyone' ? 'For all roles.' : `For the role \`${role}\`.`
}

function securityOf({ mount, route }: Placed): readonly Json[] {
  if (route.access === 'public') return []
  const own = [{ token: [] }, { password: [] }]
  return mount.dialect.name === 'powerdns' ? [{ apiKey: [] }, ...own] : own
}

function parametersOf({ mount, route, address }: Placed, components: Components): Json {
  const inPath = [...address.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const inQuery = Object.entries(route.query ?? {})
    .filter(([name]) => !address.includes(`:${name}`))
    .map(([name, schema]) => ({ name, in: 'query', schema: components.schema(schema) }))
  const inHeader = [
    ...(takesKey(route) ? [keyParameter] : []),
    ...(mount.dialect.hasEntityTags ? tagParametersOf(route, mount.dialect) : []),
  ]
  const parameters = [...inPath, ...inQuery, ...inHeader]
  return parameters.length === 0 ? {} : { parameters }
}

/** Whether it takes an Idempotency-Key. */
function takesKey({ method, access }: Route): boolean {
  return method === 'POST' && access !== 'public'
}

/** The preconditions that it looks at. */
function tagParametersOf(route: Route, dialect: Dialect): readonly Json[] {
  const tag = (name: string, description: string) => [
    { name, in: 'header', description, schema: { type: 'string' } },
  ]
  return [
    ...(304 in answersOf(route, dialect)
      ? tag('If-None-Match', 'ETags: 304 if one is still right.')
      : []),
    ...(route.isConditional ? tag('If-Match', 'ETags: 412 if none is right any more.') : []),
  ]
}

const keyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'A repeated request with the same key gets the first answer and changes nothing.',
  schema: { type: 'string', maxLength: 255 },
}

function requestBody(route: Route, bodySchema: TSchema, components: Components): Json {
  const { allowsEmptyBody = false, textBody } = route
  const isText = textBody !== undefined && textBody.mediaType !== 'application/json'
  return {
    required: !allowsEmptyBody,
    content: {
      'application/json': components.content(bodySchema, 'Body'),
      ...(isText && { [textBody.mediaType]: { schema: { type: 'string' } } }),
    },
  }
}

function responsesOf(placed: Placed, components: Components): Json {
  const { mount, route } = placed
  const { dialect } = mount
  const answers = Object.entries(answersOf(route, dialect)).map(([status, schema]) => [
    status,
    {
      ...answerOf(Number(status), schema, { route, components }),
      ...headersOf({ ...placed, status: Number(status) }),
    },
  ])
  const refusals = byStatus(refusalsOf(route, mount), dialect).map(refusal => [
    String(refusal.status),
    refusalAnswer(refusal, placed, components),
  ])
  return Object.fromEntries([...refusals, ...answers])
}

function answerOf(
  status: number,
  schema: TSchema | null,
  { route, components }: { readonly route: Route; readonly components: Components },
): Json {
  const words = status < 300 ? 'Done' : status < 400 ? 'Elsewhere, or as before' : 'Not ready'
  if (schema === null) return { description: words }
  const mediaTypes = [route.produces ?? 'application/json'].flat()
  const isText = 'type' in schema && schema.type === 'string'
  const content = components.content(schema)
  const text = { schema: { type: 'string' } }
  const contents = mediaTypes.map(type => [type, type.endsWith('json') || isText ? content : text])
  return { description: words, content: Object.fromEntries(contents) }
}

function refusalAnswer(refusal: Refusals, placed: Placed, components: Components): Json {
  const { status, types } = refusal
  const { dialect } = placed.mount
  const [type = 'unknown'] = types
  const name = `${dialect.name}-${status}`
  return components.response(`${name} ${types}`, `${name}-`, () => ({
    description: wordsOf(refusal, dialect),
    ...headersOf({ ...placed, status }),
    content: {
      'application/json': {
        schema: components.schema(refusalSchema(refusal, dialect)),
        example: refusalExample(type, dialect),
      },
    },
  }))
}
