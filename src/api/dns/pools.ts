import { type Static, Type } from 'typebox'
import {
  maxAttributeLength,
  maxNsPriority,
  maxNsRecords,
  maxPoolNameLength,
} from '../../model/limits.ts'
import { nsRecordsInOrder, type Pool } from '../../model/pool.ts'
import type { PoolDraft, PoolPatch } from '../../model/pool-draft.ts'
import type { Pools } from '../../service/pools/pools.ts'
import { closed, partly, requestBody } from '../openapi/fields.ts'
import { type Route, route } from '../route.ts'
import { timesOf } from '../timestamps.ts'
import { poolAnswer, poolsAnswer } from './answers.ts'
import { descriptionField, projectIdField } from './field-schemas.ts'
import { listRoute } from './list-route.ts'
import type { ListAttributes } from './page-request.ts'
import { changeBody, requireAsShown } from './read-only-fields.ts'
import type { ViewContext } from './zones.view.ts'

const optional = {
  description: descriptionField,
  tenant_id: Type.Union([projectIdField, Type.Null()]),
  provisioner: Type.Union([Type.String({ maxLength: 160 }), Type.Null()]),
  attributes: Type.Union([
    Type.Record(Type.String({ maxLength: 50 }), Type.String({ maxLength: maxAttributeLength }), {
      maxProperties: 50,
    }),
    Type.Null(),
  ]),
  ns_records: Type.Array(
    closed({
      hostname: Type.String(),
      priority: Type.Integer({ minimum: 1, maximum: maxNsPriority }),
    }),
    { maxItems: maxNsRecords },
  ),
}

const name = Type.String({ minLength: 1, maxLength: maxPoolNameLength })

/** Body of `POST /pools`. The project is `tenant_id` in the specification and `project_id` for Designate's clients. */
const poolCreateSchema = requestBody(
  'pool',
  { name, ...partly({ ...optional, project_id: optional.tenant_id }) },
  { name: 'east', ns_records: [{ hostname: 'ns1.example.net.', priority: 1 }] },
)

/** Body of `PATCH /pools/<id>`: a field that is given replaces the stored value, lists as a whole. `project_id` is changed as
 *  `tenant_id`. */
const poolChange = changeBody('pool', {
  fields: { name, ...optional },
  shown: poolAnswer,
  example: { attributes: { also_notify: '192.0.2.2:53' } },
})

/** Pools: the servers that zones are answered by. */
export function poolRoutes(pools: Pools): readonly Route[] {
  return [
    listRoute('GET /pools', {
      rule: 'manage_pools',
      summary: 'Lists pools',
      answer: poolsAnswer,
      key: 'pools',
      attributes: poolAttributes,
      pageOf: (_, request) => pools.list(request),
      viewOf: poolView,
      metadataOf: () => null,
    }),
    route('POST /pools', {
      rule: 'manage_pools',
      summary: 'Creates a pool',
      answers: { 201: poolAnswer },
      refusals: ['duplicate_pool', 'bad_request'],
      bodySchema: poolCreateSchema,
      respond: async context =>
        poolView(await pools.create(poolDraftFromBody(context.body)), context),
    }),
    route('GET /pools/:pool_id', {
      rule: 'manage_pools',
      summary: 'Shows a pool',
      answers: { 200: poolAnswer },
      refusals: ['pool_not_found'],
      respond: context => poolView(pools.get(context.id('pool_id')), context),
    }),
    route('PATCH /pools/:pool_id', {
      rule: 'manage_pools',
      summary: 'Changes a pool',
      answers: { 202: poolAnswer },
      refusals: [
        'pool_not_found',
        'duplicate_pool',
        'last_server_delete_not_allowed',
        'invalid_operation',
        'bad_request',
      ],
      bodySchema: poolChange.schema,
      async respond(context) {
        const id = context.id('pool_id')
        const { body } = context
        const shown = poolView(pools.get(id), context)
        requireAsShown('pool', poolChange.readOnly, { body, shown })
        const pool = await pools.update(id, poolPatchFromBody(body))
        return poolView(pool, context)
      },
    }),
    route('DELETE /pools/:pool_id', {
      rule: 'manage_pools',
      summary: 'Deletes a pool without zones',
      answers: { 204: null },
      refusals: ['pool_not_found', 'invalid_operation'],
      respond: context => pools.delete(context.id('pool_id')),
    }),
  ]
}

const poolAttributes: ListAttributes<Pool> = {
  sortValues: { id: pool => pool.id, updated_at: pool => pool.updatedAt, name: pool => pool.name },
  filterValues: { name: pool => [pool.name] },
}

/** A pool as the API shows it. */
function poolView(pool: Pool, { baseUrl }: ViewContext): object {
  return {
    id: pool.id,
    name: pool.name,
    description: pool.description,
    project_id: pool.projectId,
    attributes: pool.attributes,
    ns_records: nsRecordsInOrder(pool).map(({ hostname, priority }) => ({ hostname, priority })),
    ...timesOf(pool),
    links: { self: `${baseUrl}/pools/${pool.id}` },
  }
}

function poolDraftFromBody(body: Static<typeof poolCreateSchema>): PoolDraft {
  return {
    name: body.name,
    description: body.description ?? null,
    projectId: body.project_id ?? body.tenant_id ?? null,
    provisioner: body.provisioner ?? null,
    attributes: body.attributes ?? {},
    nsRecords: body.ns_records ?? [],
  }
}

function poolPatchFromBody(body: Static<typeof poolChange.schema>): PoolPatch {
  const { name, description, provisioner, tenant_id: projectId, ns_records: nsRecords } = body
  const attributes = body.attributes === null ? {} : body.attributes
  return { name, description, provisioner, projectId, nsRecords, attributes }
}
