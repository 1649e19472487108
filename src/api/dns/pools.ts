import { nsRecordsInOrder, type Pool } from '../../model/pool.ts'
import type { Pools } from '../../service/pools/pools.ts'
import { type Route, route } from '../route.ts'
import { timesOf } from '../timestamps.ts'
import { poolAnswer, poolsAnswer } from './answers.ts'
import { listRoute } from './list-route.ts'
import type { ListAttributes } from './page-request.ts'
import {
  poolCreateSchema,
  poolDraftFromBody,
  poolPatchFromBody,
  poolPatchSchema,
  poolReadOnlyFields,
} from './pools.schema.ts'
import { requireAsShown } from './read-only-fields.ts'
import type { ViewContext } from './zones.view.ts'

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
      bodySchema: poolPatchSchema,
      async respond(context) {
        const id = context.id('pool_id')
        const { body } = context
        const shown = poolView(pools.get(id), context)
        requireAsShown('pool', poolReadOnlyFields, { body, shown })
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
