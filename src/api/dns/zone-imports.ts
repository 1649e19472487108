import type { Static } from 'typebox'
import type { ZoneImport } from '../../model/zone-import.ts'
import type { ZoneFile } from '../../service/zone-files/import-plan.ts'
import type { ZoneImports } from '../../service/zone-files/zone-imports.ts'
import { isFlagSet } from '../flag.ts'
import { flag, text } from '../openapi/fields.ts'
import { pageLinksOf } from '../paging.ts'
import { uuidParameter } from '../parameters.ts'
import { type Reply, type RequestContext, type Route, route, textPiecesRoute } from '../route.ts'
import { importAnswer, importsAnswer } from './answers.ts'
import { type ListAttributes, listQuery, parseScanRequest } from './page-request.ts'
import { zoneFileType } from './zone-exports.ts'
import { zoneImportSchema } from './zone-imports.schema.ts'
import { zoneImportUrl, zoneImportView } from './zone-imports.view.ts'

const mebibyte = 1024 * 1024

/** Zones made of zone files. openstacksdk writes the path in the singular.
 *  @param spelling the last part of the path */
export function zoneImportRoutes(
  imports: ZoneImports,
  spelling: 'imports' | 'import' = 'imports',
): readonly Route[] {
  const path = `/zones/tasks/${spelling}`
  return [
    route(`GET ${path}`, {
      rule: 'find_zone_imports',
      summary: 'Lists imports',
      answers: { 200: importsAnswer },
      query: listQuery(importAttributes),
      handler: async context => listImports(imports, context),
    }),
    createRoute(imports, path),
    route(`GET ${path}/:import_id`, {
      rule: 'get_zone_import',
      summary: 'Shows an import',
      answers: { 200: importAnswer },
      refusals: ['zone_import_not_found'],
      async handler(context) {
        const row = imports.get(context.caller, uuidParameter(context, 'import_id'))
        return { status: 200, body: zoneImportView(row, context) }
      },
    }),
    route(`DELETE ${path}/:import_id`, {
      rule: 'delete_zone_import',
      summary: 'Deletes an import, not its zone',
      answers: { 204: null },
      refusals: ['zone_import_not_found'],
      async handler(context) {
        await imports.delete(context.caller, uuidParameter(context, 'import_id'))
        return { status: 204 }
      },
    }),
  ]
}

function createRoute(imports: ZoneImports, path: string): Route {
  return textPiecesRoute(`POST ${path}`, {
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
    async handler(context) {
      const { body, caller } = context
      const row = await imports.create(caller, { ...fileOf(body), ...optionsOf(context.query) })
      return {
        status: 202,
        headers: { location: zoneImportUrl(context, row.id) },
        body: zoneImportView(row, context),
      }
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

function listImports(imports: ZoneImports, context: RequestContext): Reply {
  const { caller, query } = context
  const request = parseScanRequest(query, importAttributes)
  const { rows, totalCount } = imports.list(caller, request)
  return {
    status: 200,
    body: {
      imports: rows.map(row => zoneImportView(row, context)),
      links: pageLinksOf(context, request, rows),
      metadata: { total_count: totalCount },
    },
  }
}
