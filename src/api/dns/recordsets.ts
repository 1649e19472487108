import { type Static, Type } from 'typebox'
import { ApiError } from '../../errors.ts'
import { splitLongTexts } from '../../model/record-values.ts'
import type { Recordset } from '../../model/recordset.ts'
import type { RecordsetDraft } from '../../model/recordset-draft.ts'
import { absoluteRecordsetName } from '../../model/recordset-name.ts'
import type { Page } from '../../service/listing/listing.ts'
import type { RecordsetKey, Recordsets } from '../../service/recordsets/recordsets.ts'
import { requireVersion } from '../../service/rules/row-versions.ts'
import type { Dialect } from '../dialect.ts'
import { isFlagSet } from '../flag.ts'
import { flag, requestBody } from '../openapi/fields.ts'
import { newPageTurns, pageLinksOf } from '../paging.ts'
import { type Reply, type RequestContext, type Route, route } from '../route.ts'
import { recordsetAnswer, recordsetsAnswer } from './answers.ts'
import { expectedVersions, taggedReply } from './entity-tags.ts'
import { descriptionField, recordsField, ttlField } from './field-schemas.ts'
import { pageReply } from './page-reply.ts'
import { type ListAttributes, listQuery, parsePageRequest } from './page-request.ts'
import { changeBody, requireAsShown } from './read-only-fields.ts'
import { recordsetUrl, recordsetView } from './recordsets.view.ts'

/** Body of `POST /zones/<id>/recordsets`. */
export const recordsetCreateSchema = requestBody(
  'recordset',
  {
    name: Type.String(),
    type: Type.String(),
    ttl: Type.Optional(ttlField),
    description: Type.Optional(descriptionField),
    records: Type.Optional(recordsField),
  },
  { name: 'www', type: 'A', ttl: 300, records: ['192.0.2.1'] },
)

/** Body of `PUT` and `PATCH /zones/<id>/recordsets/<id>`. What is left out stays as it is; name and type may be sent, but
 *  only unchanged. */
const recordsetChange = changeBody('recordset', {
  fields: {
    ttl: ttlField,
    description: descriptionField,
    records: recordsField,
    name: Type.String(),
    type: Type.String(),
  },
  shown: recordsetAnswer,
  example: { records: ['192.0.2.1', '192.0.2.2'] },
})

/** The recordsets of a zone. */
export function recordsetRoutes(recordsets: Recordsets): readonly Route[] {
  const turns = newPageTurns()
  return [
    route('GET /zones/:zone_id/recordsets', {
      rule: 'find_recordsets',
      summary: 'Lists the recordsets of a zone',
      answers: { 200: recordsetsAnswer },
      query: listQuery(attributesFor(recordsets)),
      refusals: ['zone_not_found'],
      handler: context =>
        turns.run(context.caller.projectId, () => listRecordsets(recordsets, context)),
    }),
    createRoute(recordsets),
    route('GET /zones/:zone_id/recordsets/:recordset_id', {
      rule: 'get_recordset',
      summary: 'Shows a recordset',
      answers: { 200: recordsetAnswer, 304: null },
      refusals: ['zone_not_found', 'recordset_not_found'],
      async handler(context) {
        const found = recordsets.get(context.caller, keyOf(context))
        const body = recordsetView(found, recordsets.stateOf(found), context)
        return taggedReply(context, found.recordset, { status: 200, body })
      },
    }),
    updateRoute(recordsets, 'PUT'),
    updateRoute(recordsets, 'PATCH'),
    deleteRoute(recordsets),
    route('GET /recordsets', {
      rule: 'find_recordsets',
      summary: 'Lists the recordsets of all zones',
      answers: { 200: recordsetsAnswer },
      query: listQuery(attributesFor(recordsets)),
      handler: context =>
        turns.run(context.caller.projectId, () => listAllRecordsets(recordsets, context)),
    }),
    route('GET /recordsets/:recordset_id', {
      rule: 'get_recordset',
      summary: 'Tells where a recordset is',
      answers: { 301: null },
      refusals: ['recordset_not_found'],
      async handler(context) {
        const id = context.id('recordset_id')
        const location = recordsetUrl(recordsets.find(context.caller, id), context)
        return { status: 301, headers: { location } }
      },
    }),
  ]
}

function createRoute(recordsets: Recordsets): Route {
  return route('POST /zones/:zone_id/recordsets', {
    rule: 'create_recordset',
    summary: 'Creates a recordset',
    answers: ({ recordsetCreated }) => ({ [recordsetCreated]: recordsetAnswer }),
    query: { split_txt: flag },
    refusals: [
      'zone_not_found',
      'over_quota',
      'invalid_ttl',
      'invalid_recordset_location',
      'duplicate_recordset',
      'bad_request',
    ],
    bodySchema: recordsetCreateSchema,
    async handler(context) {
      const zoneId = context.id('zone_id')
      const { name, ...draft } = recordsetDraftFromBody(context.body)
      const found = await recordsets.create(context.caller, zoneId, {
        ...draft,
        name: absoluteName(recordsets, context, { zoneId, name }),
        records: split(context, draft.type, draft.records),
      })
      return taggedReply(context, found.recordset, {
        status: context.dialect.recordsetCreated,
        headers: { location: recordsetUrl(found, context) },
        body: recordsetView(found, recordsets.stateOf(found), context, 'CREATE'),
      })
    },
  })
}

/** Both methods change only the given fields: PUT as in Designate, PATCH as is usual elsewhere. */
function updateRoute(recordsets: Recordsets, method: 'PUT' | 'PATCH'): Route {
  return route(`${method} /zones/:zone_id/recordsets/:recordset_id`, {
    rule: 'update_recordset',
    summary: 'Changes a recordset',
    answers: ({ recordsetUpdated }) => ({ [recordsetUpdated]: recordsetAnswer }),
    query: { split_txt: flag },
    refusals: [
      'recordset_not_found',
      'precondition_failed',
      'over_quota',
      'invalid_ttl',
      'invalid_recordset_location',
      'bad_request',
    ],
    isConditional: true,
    bodySchema: recordsetChange.schema,
    // As in Designate: a recordset managed by the server is refused before any check of the body.
    refuse: context => recordsets.requireChangeable(context.caller, keyOf(context)),
    async handler(context) {
      const { caller, body, dialect } = context
      const key = keyOf(context)
      const before = recordsets.get(caller, key)
      const expected = expectedVersions(context)
      // Checked before the body: a stale copy, sent back as a whole, also has outdated read-only fields.
      requireVersion(before.recordset, expected)
      const shown = recordsetView(before, recordsets.stateOf(before), context)
      requireAsShown('recordset', recordsetChange.readOnly, { body, shown })
      const { name, type, ttl: ttlSeconds, description, records } = body
      requireUpdatable(before.recordset, records, dialect)
      const { zoneId } = key
      const changes = {
        type,
        ttlSeconds,
        description,
        name: name && absoluteName(recordsets, context, { zoneId, name }),
        records: records && split(context, before.recordset.type, records),
      }
      const found = await recordsets.update(caller, key, changes, expected)
      const view = recordsetView(found, recordsets.stateOf(found), context, 'UPDATE')
      return taggedReply(context, found.recordset, {
        status: dialect.recordsetUpdated,
        body: view,
      })
    },
  })
}

function deleteRoute(recordsets: Recordsets): Route {
  return route('DELETE /zones/:zone_id/recordsets/:recordset_id', {
    rule: 'delete_recordset',
    summary: 'Deletes a recordset',
    answers: ({ recordsetDeleted, showsDeleted }) => ({
      [recordsetDeleted]: showsDeleted ? recordsetAnswer : null,
    }),
    refusals: ['recordset_not_found', 'precondition_failed', 'bad_request'],
    isConditional: true,
    async handler(context) {
      const { caller, dialect } = context
      const found = await recordsets.delete(caller, keyOf(context), expectedVersions(context))
      const status = dialect.recordsetDeleted
      if (!dialect.showsDeleted) return { status }
      const body = recordsetView(found, recordsets.stateOf(found), context, 'DELETE')
      return { status, body }
    },
  })
}

async function listRecordsets(recordsets: Recordsets, context: RequestContext): Promise<Reply> {
  const zone = recordsets.zoneOf(context.caller, context.id('zone_id'))
  const request = parsePageRequest(context.query, attributesFor(recordsets))
  return listReply(recordsets, context, await recordsets.list(zone, request))
}

async function listAllRecordsets(recordsets: Recordsets, context: RequestContext): Promise<Reply> {
  const request = parsePageRequest(context.query, attributesFor(recordsets))
  const page = await recordsets.listAll(context.caller, request)
  return listReply(recordsets, context, page)
}

function attributesFor(recordsets: Recordsets): ListAttributes<Recordset> {
  const stateOf = recordsets.newStateReader()
  return recordsetAttributes({
    statusOf: recordset => {
      const found = recordsets.found(recordset)
      return found === undefined ? '' : stateOf(found).status
    },
    projectOf: recordset => recordsets.found(recordset)?.projectId ?? '',
  })
}

function listReply(
  recordsets: Recordsets,
  context: RequestContext,
  page: Page<Recordset>,
): Promise<Reply> {
  const stateOf = recordsets.newStateReader()
  const viewOf = (recordset: Recordset) => {
    const found = recordsets.found(recordset)
    return found && recordsetView(found, stateOf(found), context)
  }
  const isCountHidden = isFlagSet(context.header('openstack-dns-hide-counts'))
  return pageReply(
    'recordsets',
    { rows: page.rows, viewOf },
    {
      links: pageLinksOf(context, page),
      metadata: isCountHidden ? {} : { total_count: page.totalCount },
    },
  )
}

/** The specification's NS recordsets "can only be created and deleted". */
function requireUpdatable(
  { type, records }: Recordset,
  sent: readonly string[] | undefined,
  { updatesNs }: Dialect,
): void {
  if (type !== 'NS' || updatesNs || sent === undefined) return
  if (JSON.stringify(sent) === JSON.stringify(records)) return
  throw new ApiError('bad_request', 'NS recordsets can only be created and deleted')
}

function absoluteName(
  recordsets: Recordsets,
  { caller, dialect }: RequestContext,
  { zoneId, name }: { readonly zoneId: string; readonly name: string },
): string {
  if (!dialect.takesRelativeNames) return name
  return absoluteRecordsetName(name, recordsets.zoneOf(caller, zoneId).name)
}

/** Values of TXT as sent or, if the query asks for it, with texts too long for one string split into several. */
function split(
  { query }: RequestContext,
  type: string,
  records: readonly string[],
): readonly string[] {
  const isAskedFor = isFlagSet(query.get('split_txt'))
  return isAskedFor ? splitLongTexts(type, records) : records
}

function keyOf(context: RequestContext): RecordsetKey {
  return {
    zoneId: context.id('zone_id'),
    id: context.id('recordset_id'),
  }
}

export function recordsetDraftFromBody(body: Static<typeof recordsetCreateSchema>): RecordsetDraft {
  return {
    name: body.name,
    type: body.type,
    ttlSeconds: body.ttl ?? null,
    description: body.description ?? null,
    records: body.records ?? [],
  }
}

/** What recordsets can be sorted and filtered by. */
function recordsetAttributes({
  statusOf,
  projectOf,
}: {
  readonly statusOf: (recordset: Recordset) => string
  readonly projectOf: (recordset: Recordset) => string
}): ListAttributes<Recordset> {
  return {
    sortValues: {
      id: recordset => recordset.id,
      updated_at: recordset => recordset.updatedAt,
      zone_id: recordset => recordset.zoneId,
      tenant_id: projectOf,
      name: recordset => recordset.name.toLowerCase(),
      type: recordset => recordset.type,
      ttl: recordset => recordset.ttlSeconds,
    },
    filterValues: {
      name: recordset => [recordset.name],
      type: recordset => [recordset.type],
      ttl: recordset => [recordset.ttlSeconds],
      data: recordset => recordset.records,
      description: recordset => [recordset.description],
      status: recordset => [statusOf(recordset)],
    },
  }
}
