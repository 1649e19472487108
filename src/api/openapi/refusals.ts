import { type TSchema, Type } from 'typebox'
import { ApiError, type ErrorType, refusalOf } from '../../errors.ts'
import { type Dialect, statusOf, typeOf } from '../dialect.ts'
import { errorBody } from '../middleware/answer-error.ts'
import type { Route } from '../route.ts'
import type { Mount } from '../route-table.ts'
import { component } from './fields.ts'

// The refusals that a route may answer with, and their bodies.

const listRefusals: readonly ErrorType[] = [
  'bad_request',
  'invalid_limit',
  'invalid_marker',
  'marker_not_found',
  'invalid_sort_key',
  'invalid_sort_dir',
]
const bodyRefusals: readonly ErrorType[] = [
  'bad_request',
  'invalid_object',
  'invalid_json',
  'empty_request_body',
  'request_too_large',
  'unsupported_content_type',
]

/** The types of all refusals of a route: its own, and those that follow from its declaration. */
export function refusalsOf(route: Route, mount: Mount): readonly ErrorType[] {
  const { access = 'caller', bodySchema, query = {}, path, method, refusals = [] } = route
  const isKnown = access !== 'public'
  const isResolved = mount.resolveNames !== undefined && path.includes(':zone_id')
  const hasRule = route.access !== 'public' && route.rule !== undefined
  const types: readonly (readonly [boolean, readonly ErrorType[]])[] = [
    [true, refusals],
    [isKnown, ['unauthorized', 'too_many_requests', 'keystone_communication_failure']],
    [access === 'caller', ['missing_project_id', 'forbidden', 'bad_request']],
    [hasRule, ['forbidden']],
    [path.includes(':'), ['bad_request', 'invalid_uuid']],
    [isResolved, ['zone_not_found']],
    ['sort_key' in query, listRefusals],
    [bodySchema !== undefined, bodyRefusals],
    [true, ['unsupported_accept', 'unknown']],
    [isKnown && method === 'POST', ['request_in_progress', 'idempotency_key_reused']],
    [method !== 'GET', ['read_only', 'too_many_requests']],
  ]
  return [...new Set(types.flatMap(([applies, some]) => (applies ? some : [])))]
}

/** Refusals of one status. */
export type Refusals = { readonly status: number; readonly types: readonly ErrorType[] }

/** Refusals by the status that a dialect gives them. */
export function byStatus(types: readonly ErrorType[], dialect: Dialect): readonly Refusals[] {
  return [...Map.groupBy(types, type => statusOf(refusalOf(type), dialect))]
    .map(([status, some]) => ({ status, types: some.sort() }))
    .sort((one, other) => one.status - other.status)
}

/** The refusals of a status in words, one a line. */
export function wordsOf({ types }: Refusals, dialect: Dialect): string {
  return types.map(type => `\`${typeOf({ type }, dialect)}\`: ${refusalOf(type).when}`).join('\n\n')
}

/** A refusal as it is answered. */
export function refusalExample(type: ErrorType, dialect: Dialect): unknown {
  const id = 'req-5b1c7f40-7d4e-4a53-9f0c-0a3c5b0f1d11'
  return errorBody(new ApiError(type, refusalOf(type).when), dialect, id)
}

const flatError = { message: Type.String(), validator: Type.String() }
const places = Type.Array(Type.Union([Type.String(), Type.Integer()]))
const fieldErrors = Type.Object({
  errors: Type.Array(
    Type.Object({ path: places, ...flatError, validator_value: Type.Optional(Type.Unknown()) }),
  ),
})
const flatErrors = Type.Array(Type.Object({ path: Type.String(), ...flatError }))

/** `message`, or `errors` where fields of a body are wrong. */
function typedError(title: string, errors: TSchema) {
  return component(title, {
    code: Type.Integer(),
    type: Type.String(),
    message: Type.Optional(Type.String()),
    errors: Type.Optional(errors),
    request_id: Type.String(),
  })
}

const keystoneFields = {
  code: Type.Integer(),
  type: Type.String(),
  title: Type.String(),
  message: Type.String(),
}
const keystoneError = component('KeystoneError', {
  error: Type.Object(keystoneFields),
  /** For an incomplete login: the methods that together complete it. */
  required_auth_methods: Type.Optional(Type.Array(Type.Array(Type.String()))),
})
const errorsByEnvelope: Readonly<Record<Dialect['errorEnvelope'], TSchema>> = {
  designate: typedError('Error', fieldErrors),
  flat: typedError('FlatError', flatErrors),
  keystone: keystoneError,
  message: component('MessageError', { message: Type.String() }),
  fault: component('Fault', {
    faultcode: Type.String(),
    faultstring: Type.String(),
    debuginfo: Type.Null(),
  }),
  error: component('PowerDnsError', { error: Type.String() }),
}

/** The body of refusals of one status. A missing login has the identity service's form nearly everywhere. */
export function refusalSchema({ types }: Refusals, { errorEnvelope }: Dialect): TSchema {
  const own = errorsByEnvelope[errorEnvelope]
  if (errorEnvelope === 'error' || errorEnvelope === 'keystone') return own
  const others = types.filter(type => type !== 'unauthorized')
  if (others.length === types.length) return own
  return others.length === 0 ? keystoneError : Type.Union([own, keystoneError])
}
