import { ApiError } from '../../errors.ts'
import { type ExportQuery, exportCsv, exportNdjson } from '../../rating/export.ts'
import { parseFilters } from '../../rating/filters.ts'
import { nowSeconds, type Period, requestedPeriod } from '../../rating/period.ts'
import type { Points } from '../../rating/segments/point-store.ts'
import { formatCompact } from '../../rating/timestamp.ts'
import { requireAcceptable } from '../middleware/accept.ts'
import { text } from '../openapi/fields.ts'
import { type Route, route } from '../route.ts'
import { askedPeriod, requireKnown, single } from './parameters.ts'
import { type RatingServices, visible } from './services.ts'

type Format = {
  /** What a file of it is called behind the dot. */
  readonly name: string
  readonly mediaType: string
  write(points: Points, query: ExportQuery): AsyncIterable<string>
}

const formats: readonly Format[] = [
  { name: 'csv', mediaType: 'text/csv', write: exportCsv },
  { name: 'ndjson', mediaType: 'application/x-ndjson', write: exportNdjson },
]
const mediaTypes = formats.map(format => format.mediaType)

/** All points of a period in one answer, for spreadsheets and for the accounts. */
export function exportRoute(services: RatingServices): Route {
  return route('GET /export', {
    rule: 'dataframes:get',
    summary: 'Writes out usage with its price as CSV or lines of JSON',
    answers: { 200: text('begin,end,type,unit,qty,price') },
    refusals: ['bad_request', 'unsupported_accept'],
    produces: mediaTypes,
    async handler({ query, caller, header }) {
      requireKnown(query, ['begin', 'end', 'filters', 'format'])
      const { name, mediaType, write } = formatOf(single(query, 'format'), header('accept'))
      const period = requestedPeriod(askedPeriod(query), nowSeconds(services.clock))
      const filters = parseFilters(query.getAll('filters'), { valuesPerKey: 'one' })
      const file = `${fileNameOf(period)}.${name}`
      return {
        status: 200,
        headers: {
          'content-type': `${mediaType}; charset=utf-8`,
          'content-disposition': `attachment; filename="${file}"`,
        },
        stream: () => write(services.points, { period, filters: visible(filters, caller) }),
      }
    },
  })
}

/** The format that the query names, since a link cannot say what it accepts; else the first that is accepted. */
function formatOf(name: string | undefined, accept: string | undefined): Format {
  const mediaType = requireAcceptable(accept, mediaTypes)
  const format = formats.find(each =>
    name === undefined ? each.mediaType === mediaType : each.name === name,
  )
  if (format !== undefined) return format
  const names = formats.map(each => `'${each.name}'`).join(', ')
  throw new ApiError('bad_request', `Invalid format [${name}]. Valid formats are [${names}].`)
}

function fileNameOf({ begin, end }: Period): string {
  return `dataframes-${formatCompact(begin)}-${formatCompact(end)}`
}
