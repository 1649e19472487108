import { Type } from 'typebox'
import { plain } from '../../src/api/dialect.ts'
import { type Route, route } from '../../src/api/route.ts'
import type { Mount } from '../../src/api/route-table.ts'
import { ApiError, errorTypes } from '../../src/errors.ts'
import { StoreBusyError, StoreReadOnlyError } from '../../src/store/store.ts'

// A made-up resource under /v2 that exposes the API's framework to tests.

const thingSchema = Type.Object(
  {
    name: Type.String({ maxLength: 5 }),
    ttl: Type.Optional(Type.Integer({ minimum: 0 })),
    tags: Type.Optional(Type.Array(Type.String())),
  },
  { additionalProperties: false, title: 'thing' },
)

/** An arbitrary id of a thing. */
export const thingId = '5b1c7f40-7d4e-4a53-9f0c-0a3c5b0f1d11'

const failures: Readonly<Record<string, () => Error>> = {
  refused: () => new ApiError('not_found', 'Could not find Thing'),
  denied: () => new ApiError('illegal_child', 'below a foreign zone'),
  'read-only': () => new StoreReadOnlyError('no space left on device'),
  busy: () => new StoreBusyError('too many are waiting'),
  broken: () => new Error('secret detail'),
}

const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/things/:thing_id',
    rule: 'get_zone',
    summary: 'Shows what a handler sees',
    answers: { 200: Type.Unknown() },
    handler: async ({
      caller,
      baseUrl,
      publicUrl,
      path,
      parameters,
      query,
      dialect,
      requestId,
    }) => ({
      status: 200,
      body: {
        caller,
        baseUrl,
        publicUrl,
        path,
        parameters,
        query: [...query],
        dialect: dialect.name,
        requestId,
      },
      headers: { location: `${baseUrl}/things/x` },
    }),
  },
  route('POST /things', {
    rule: 'create_zone',
    summary: 'Answers with its body',
    answers: { 201: Type.Unknown() },
    bodySchema: thingSchema,
    handler: async ({ body }) => ({ status: 201, body }),
  }),
  route('POST /things/:thing_id/tasks/check', {
    rule: 'update_zone',
    summary: 'Takes a body or none',
    answers: { 200: Type.Unknown() },
    bodySchema: Type.Object({}),
    allowsEmptyBody: true,
    handler: async ({ body }) => ({ status: 200, body }),
  }),
  {
    method: 'POST',
    path: '/things/:thing_id/tasks/abandon',
    rule: 'abandon_zone',
    summary: 'Minds no body',
    answers: { 204: null },
    handler: async () => ({ status: 204 }),
  },
  {
    method: 'DELETE',
    path: '/things/:thing_id',
    rule: 'delete_zone',
    summary: 'Is accepted without a word',
    answers: { 202: null },
    handler: async () => ({ status: 202 }),
  },
  {
    method: 'GET',
    path: '/file',
    rule: 'get_zone',
    summary: 'Answers text',
    answers: { 200: Type.String() },
    produces: 'text/dns',
    handler: async () => ({ status: 200, text: 'a b c', headers: { 'content-type': 'text/dns' } }),
  },
  {
    method: 'GET',
    path: '/failures/:kind',
    rule: 'get_zone',
    summary: 'Fails',
    answers: {},
    refusals: errorTypes,
    handler: async ({ parameters }) => {
      throw failures[parameters.kind ?? '']?.() ?? new Error('no such kind')
    },
  },
]

export const thingMounts = (): readonly Mount[] => [
  { base: '/v2', dialect: plain, routes, hidesUnknown: true },
]
