import { ApiError } from '../../errors.ts'
import { parsedBody } from '../../rating/body-values.ts'
import { framesJson, pointsFromBody } from '../../rating/dataframe.ts'
import { exportCsv, exportNdjson } from '../../rating/export.ts'
import type { Selection } from '../../rating/filters.ts'
import { hasPoints, PointListing, type PointQuery } from '../../rating/listing.ts'
import type { Period } from '../../rating/period.ts'
import type { Points } from '../../rating/segments/point-store.ts'
import { formatCompact } from '../../rating/timestamp.ts'
import { inSlices, inTurns } from '../../time-slice.ts'
import { text } from '../openapi/fields.ts'
import { type Route, route } from '../route.ts'
import { dataframesAnswer, dataframesBody } from './answers.ts'
import { paging, requestedFormat, requireKnown } from './parameters.ts'
import { type RatingServices, selectionFor } from './services.ts'

type Format = {
  /** What a file of it is called behind the dot. */
  readonly name: string
  readonly mediaType: string
  write(points: Points, selection: Selection): AsyncIterable<string>
}

const formats: readonly Format[] = [
  { name: 'csv', mediaType: 'text/csv', write: exportCsv },
  { name: 'ndjson', mediaType: 'application/x-ndjson', write: exportNdjson },
]

/** Room for ten thousand frames of some points each. */
const maxBodyOctets = 8 * 1024 * 1024

/** The origin of points that clients push: it is no collector's, so they are not rated again. */
const pushedOrigin = 'pushed'

/** Usage as data points, in and out. */
export function dataframeRoutes(services: RatingServices): readonly Route[] {
  return [
    route('POST /', {
      rule: 'dataframes:add',
      summary: 'Adds usage with its price',
      answers: { 204: null },
      refusals: ['invalid_object', 'invalid_json'],
      // Not parsed before, which would round its numbers.
      bodySchema: dataframesBody,
      textBody: { mediaType: 'application/json', maxOctets: maxBodyOctets },
      async respond({ body }) {
        const points = await inSlices(pointsFromBody(await parsedBody(String(body))))
        if (points.length > 0) await services.points.write({ origin: pushedOrigin, points })
      },
    }),
    route('GET /', {
      rule: 'dataframes:get',
      summary: 'Shows usage with its price',
      answers: { 200: dataframesAnswer },
      refusals: ['bad_request', 'not_found'],
      async handler(context) {
        requireKnown(context.query, ['offset', 'limit', 'begin', 'end', 'filters'])
        const query = { ...paging(context.query), ...selectionFor(context, services) }
        if (context.dialect.refusesEmptyDataframes && !(await hasPoints(services.points, query)))
          throw new ApiError('not_found', 'No resource found for provided filters.')
        return {
          status: 200,
          headers: { 'content-type': 'application/json' },
          stream: () => framesText(services.points, query),
        }
      },
    }),
    exportRoute(services),
  ]
}

/** A page may have any length, so it is written a portion at a time. A period whose points do not fit into one portion continues
 *  in another frame. */
async function* framesText(points: Points, query: PointQuery): AsyncGenerator<string> {
  await using listing = await PointListing.open(points, query)
  yield `{"total":${listing.total},"dataframes":[`
  let separator = ''
  for await (const portion of listing.points()) {
    if (portion.length === 0) continue
    yield separator
    separator = ','
    yield* inTurns(framesJson(portion))
  }
  yield ']}'
}

/** All points of a period in one answer, for spreadsheets and for the accounts. */
function exportRoute(services: RatingServices): Route {
  return route('GET /export', {
    rule: 'dataframes:get',
    summary: 'Writes out usage with its price as CSV or lines of JSON',
    answers: { 200: text('begin,end,type,unit,qty,price') },
    refusals: ['bad_request', 'unsupported_accept'],
    produces: formats.map(format => format.mediaType),
    async handler(context) {
      requireKnown(context.query, ['begin', 'end', 'filters', 'format'])
      const { name, mediaType, write } = requestedFormat(formats, context)
      const selection = selectionFor(context, services)
      const file = `${fileNameOf(selection.period)}.${name}`
      return {
        status: 200,
        headers: {
          'content-type': `${mediaType}; charset=utf-8`,
          'content-disposition': `attachment; filename="${file}"`,
        },
        stream: () => write(services.points, selection),
      }
    },
  })
}

function fileNameOf({ begin, end }: Period): string {
  return `dataframes-${formatCompact(begin)}-${formatCompact(end)}`
}
