import { type Static, Type } from 'typebox'
import type {
  ImportChange,
  ImportDifference,
  ImportList,
  ImportReport,
  ZoneImport,
} from '../../model/zone-import.ts'
import type { ZoneFile } from '../../service/zone-files/import-plan.ts'
import type { ZoneImports } from '../../service/zone-files/zone-imports.ts'
import { isFlagSet } from '../flag.ts'
import { flag, requestBody, text } from '../openapi/fields.ts'
import { type RequestContext, type Route, route } from '../route.ts'
import { timesOf } from '../timestamps.ts'
import { importAnswer, importsAnswer } from './answers.ts'
import { attributesField } from './field-schemas.ts'
import { listRoute, totalCountOf } from './list-route.ts'
import type { ListAttributes } from './page-request.ts'
import { zoneFileType } from './zone-exports.ts'
import { type ViewContext, zoneUrl } from './zones.view.ts'

/** Body of `POST /zones/tasks/imports`, where it is JSON and not the file itself. */
const zoneImportSchema = requestBody(
  'zone_import',
  { zonefile: Type.String({ minLength: 1 }), attributes: Type.Optional(attributesField) },
  {
    zonefile:
      '$ORIGIN example.com.\n@ 3600 SOA ns1.example.net. ops.example.com. 1 3600 600 86400 300\nwww 300 A 192.0.2.1\n',
  },
)

const mebibyte = 1024 * 1024

const path = '/zones/tasks/imports'

/** Zones made of zone files. */
export function zoneImportRoutes(imports: ZoneImports): readonly Route[] {
  return [
    listRoute(`GET ${path}`, {
      rule: 'find_zone_imports',
      summary: 'Lists imports',
      answer: importsAnswer,
      key: 'imports',
      attributes: importAttributes,
      pageOf: ({ caller }, request) => imports.list(caller, request),
      viewOf: zoneImportView,
      metadataOf: totalCountOf,
    }),
    createRoute(imports),
    route(`GET ${path}/:import_id`, {
      rule: 'get_zone_import',
      summary: 'Shows an import',
      answers: { 200: importAnswer },
      refusals: ['zone_import_not_found'],
      respond(context) {
        const row = imports.get(context.caller, context.id('import_id'))
        return zoneImportView(row, context)
      },
    }),
    route(`DELETE ${path}/:import_id`, {
      rule: 'delete_zone_import',
      summary: 'Deletes an import, not its zone',
      answers: { 204: null },
      refusals: ['zone_import_not_found'],
      respond: context => imports.delete(context.caller, context.id('import_id')),
    }),
  ]
}

function createRoute(imports: ZoneImports): Route {
  return route(`POST ${path}`, {
    rule: 'create_zone_import',
    summary: 'Makes a zone of a zone file',
    answers: { 202: importAnswer },
    query: { origin: text('example.com.'), replace: flag, dry_run: flag },
    refusals: ['too_many_requests', 'over_quota', 'bad_request'],
    bodySchema: zoneImportSchema,
    textBody: { mediaType: zoneFileType, maxOctets: 48 * mebibyte, isInPieces: true },
    // A string is parsed out of JSON at once, so a file within JSON cannot be as large as a plain one.
    maxBodyOctets: 8 * mebibyte,
    refuse({ caller, query, header }) {
      const octetCount = Number(header('content-length') ?? 0)
      imports.requireRoom(caller, { ...optionsOf(query), octetCount })
    },
    async respond(context) {
      const { body, caller } = context
      const row = await imports.create(caller, { ...fileOf(body), ...optionsOf(context.query) })
      return zoneImportView(row, context)
    },
  })
}

type Body = Static<typeof zoneImportSchema>

function fileOf(body: Body | readonly Uint8Array[]): Pick<ZoneFile, 'pieces' | 'attributes'> {
  if (!('zonefile' in body)) return { pieces: body, attributes: {} }
  const { zonefile, attributes = {} } = body
  return { pieces: [new TextEncoder().encode(zonefile)], attributes }
}

/** The options of a file, from the query, since the file may be sent plain. */
function optionsOf(query: RequestContext['query']): Omit<ZoneFile, 'pieces' | 'attributes'> {
  return {
    origin: query.get('origin') ?? undefined,
    replaces: isFlagSet(query.get('replace')),
    isDryRun: isFlagSet(query.get('dry_run')),
  }
}

const importAttributes: ListAttributes<ZoneImport> = {
  sortValues: { id: row => row.id, updated_at: row => row.updatedAt, zone_id: row => row.zoneId },
  filterValues: {
    zone_id: row => [row.zoneId],
    status: row => [row.status],
    message: row => [row.message],
  },
}

/** An import as the API shows it. */
function zoneImportView(row: ZoneImport, context: ViewContext): object {
  return {
    id: row.id,
    status: row.status,
    message: row.message,
    zone_id: row.zoneId,
    ...(context.dialect.showsReports && { report: reportView(row.report) }),
    project_id: row.projectId,
    version: row.version,
    ...timesOf(row),
    links: {
      self: `${context.baseUrl}/zones/tasks/imports/${row.id}`,
      ...(row.zoneId !== null && { zone: zoneUrl(context, row.zoneId) }),
    },
  }
}

/** The content of a file that the zone lacks or has in another form; null before the import has ended. */
function reportView(report: ImportReport | undefined): object | null {
  if (report === undefined) return null
  const { leftOut, changed, difference } = report
  return {
    left_out: leftOut,
    changed,
    difference: difference === undefined ? null : differenceView(difference),
  }
}

function differenceView({ added, changed, removed }: ImportDifference): object {
  return { added: changesView(added), changed: changesView(changed), removed: changesView(removed) }
}

function changesView({ count, named }: ImportList<ImportChange>): object {
  const shown = named.map(({ name, type, before, after }) => ({
    name,
    type,
    before: recordsetView(before),
    after: recordsetView(after),
  }))
  return { count, named: shown }
}

function recordsetView(recordset: ImportChange['before']): object | null {
  if (recordset === null) return null
  const { ttlSeconds, recordCount, records } = recordset
  return { ttl: ttlSeconds, record_count: recordCount, records }
}
