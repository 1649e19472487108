import { Type } from 'typebox'
import { maxRecordLength } from '../../model/limits.ts'
import { recordDraftOf } from '../../model/record-draft.ts'
import { recordIdOf } from '../../model/record-id.ts'
import type { RecordKey, RecordOfZone, Records } from '../../service/recordsets/records.ts'
import { descriptionField, ttlField } from '../dns/field-schemas.ts'
import { changeBody } from '../dns/read-only-fields.ts'
import { listReply } from '../list-reply.ts'
import { partly, requestBody } from '../openapi/fields.ts'
import { type RequestContext, type Route, route } from '../route.ts'
import { timesOf } from '../timestamps.ts'
import { listedRecordAnswer, recordAnswer, recordsAnswer } from './answers.ts'
import { domainUrl } from './domains.ts'
import { emptiedRoute } from './emptied.ts'
import type { LinkContext } from './group-url.ts'
import { idParameter } from './id-parameter.ts'
import { parseRange } from './list-range.ts'

const dataField = Type.String({ maxLength: maxRecordLength })

const priorityField = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  minimum: 0,
  maximum: 65_535,
})

const beside = { priority: priorityField, ttl: ttlField, description: descriptionField }

/** Body of `POST /domains/<id>/records`. */
export const recordCreateSchema = requestBody(
  'record',
  { name: Type.String(), type: Type.String(), data: dataField, ...partly(beside) },
  { name: 'www.example.com.', type: 'A', data: '192.0.2.1' },
)

/** Body of `PUT /domains/<id>/records/<id>`: what is left out stays, and what else is shown is ignored. */
const recordPutSchema = changeBody('record', {
  fields: { name: Type.String(), type: Type.String(), data: dataField, ...beside },
  shown: listedRecordAnswer,
  example: { data: '192.0.2.2' },
}).schema

const writingRefusals = [
  'zone_not_found',
  'duplicate_record',
  'over_quota',
  'invalid_ttl',
  'invalid_recordset_location',
  'bad_request',
] as const

/** The records of a domain: the values of its recordsets, one by one. */
export function recordRoutes(records: Records): readonly Route[] {
  return [
    route('GET /domains/:domain_id/records', {
      rule: 'find_recordsets',
      summary: 'Lists the records of a domain',
      answers: dialect => ({ 200: recordsAnswer(dialect) }),
      refusals: ['zone_not_found', 'marker_not_found'],
      async handler(context) {
        const { caller, dialect } = context
        const domainId = idParameter(context, 'domain_id')
        const pages = records.list(caller, domainId, parseRange(context))
        const view = dialect.showsRecordTenant ? listedRecordView : recordView
        return listReply('records', pages, view)
      },
    }),
    route('POST /domains/:domain_id/records', {
      rule: 'create_recordset',
      summary: 'Creates a record',
      answers: { 200: recordAnswer },
      refusals: writingRefusals,
      bodySchema: recordCreateSchema,
      async handler(context) {
        const { caller, body } = context
        const domainId = idParameter(context, 'domain_id')
        const { name, type, data, priority = null, description = null } = body
        const draft = { name, type, data, priority, ttlSeconds: body.ttl ?? null, description }
        const record = await records.create(caller, domainId, draft)
        const headers = { location: recordUrl(record, context) }
        return { status: 200, headers, body: recordView(record) }
      },
    }),
    route('GET /domains/:domain_id/records/:record_id', {
      rule: 'get_recordset',
      summary: 'Shows a record',
      answers: { 200: recordAnswer },
      refusals: ['zone_not_found', 'record_not_found'],
      respond: context => recordView(records.get(context.caller, keyOf(context))),
    }),
    route('PUT /domains/:domain_id/records/:record_id', {
      rule: 'update_recordset',
      summary: 'Changes a record',
      answers: { 200: recordAnswer },
      refusals: [...writingRefusals, 'record_not_found'],
      bodySchema: recordPutSchema,
      async respond(context) {
        const { caller, body } = context
        const { name, type, data, priority, ttl: ttlSeconds, description } = body
        const patch = { name, type, data, priority, ttlSeconds, description }
        return recordView(await records.update(caller, keyOf(context), patch))
      },
    }),
    emptiedRoute('DELETE /domains/:domain_id/records/:record_id', {
      rule: 'delete_recordset',
      summary: 'Deletes a record',
      refusals: ['zone_not_found', 'record_not_found', 'bad_request'],
      run: context => records.delete(context.caller, keyOf(context)),
    }),
  ]
}

function keyOf(context: RequestContext): RecordKey {
  return { zoneId: idParameter(context, 'domain_id'), id: idParameter(context, 'record_id') }
}

/** A record as the older group shows it. */
function recordView(record: RecordOfZone): object {
  const { recordset, mark, zone } = record
  const { name, type, data, priority, ttlSeconds, description } = recordDraftOf(recordset, record)
  return {
    id: recordIdOf(recordset, mark),
    domain_id: zone.id,
    name,
    type,
    data,
    priority,
    ttl: ttlSeconds,
    description,
    ...timesOf(mark),
  }
}

/** A record as lists show it. */
function listedRecordView(record: RecordOfZone): object {
  return { ...recordView(record), tenant_id: record.projectId, version: record.mark.version }
}

/** The address of a record. */
function recordUrl({ recordset, mark, zone }: RecordOfZone, context: LinkContext): string {
  return `${domainUrl(context, zone.id)}/records/${recordIdOf(recordset, mark)}`
}
