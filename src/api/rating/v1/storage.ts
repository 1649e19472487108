import { isAdmin } from '../../../identity/caller.ts'
import { type DataPoint, describedBy, scopeKey } from '../../../rating/data-point.ts'
import { formatDecimal } from '../../../rating/decimal.ts'
import type { Filters } from '../../../rating/filters.ts'
import { PointListing, type PointQuery } from '../../../rating/listing.ts'
import { nowSeconds, requestedPeriod } from '../../../rating/period.ts'
import type { Points } from '../../../rating/segments/point-store.ts'
import { formatNaive } from '../../../rating/timestamp.ts'
import type { Route } from '../../route.ts'
import type { RatingServices } from '../services.ts'
import { dataframesAnswer } from './answers.ts'
import { askedPeriod } from './arguments.ts'
import { type Call, callRoutes } from './call.ts'
import { filtersOf, requireOwnOrAdmin } from './report.ts'

/** What is shown of a point that is nobody's. */
const noProject = '__UNDEF__'

/** What is stored, as CloudKitty's first API tells it: all of it, as it knows no pages. */
export function storageRoutes({ points, clock }: RatingServices): readonly Route[] {
  return callRoutes([
    {
      method: 'GET',
      path: '/storage/dataframes',
      names: ['begin', 'end', 'tenant_id', 'resource_type'],
      rule: 'storage:list_data_frames',
      summary: 'Shows usage with its price, all that is asked for',
      answers: { 200: dataframesAnswer },
      refusals: ['bad_request', 'forbidden'],
      async handler(call) {
        const query = {
          period: requestedPeriod(askedPeriod(call.args), nowSeconds(clock)),
          filters: filtersFor(call),
          requireWanted: call.requireClient,
          offset: 0,
          limit: Number.MAX_SAFE_INTEGER,
        }
        return {
          status: 200,
          headers: { 'content-type': 'application/json' },
          stream: () => framesText(points, query),
        }
      },
    },
  ])
}

/** An administrator sees every project unless one is asked for. */
function filtersFor({ args, caller }: Call): Filters {
  const asked = args.text('tenant_id')
  if (asked !== undefined) requireOwnOrAdmin(caller, asked)
  const projectId = asked ?? (isAdmin(caller) ? undefined : caller.projectId)
  return filtersOf(projectId, args.text('resource_type'))
}

async function* framesText(points: Points, query: PointQuery): AsyncGenerator<string> {
  await using listing = await PointListing.open(points, query)
  yield '{"dataframes":['
  let separator = ''
  for await (const portion of listing.points()) {
    const frames = framesOf(portion).map(frame => JSON.stringify(frameView(frame)))
    if (frames.length === 0) continue
    yield separator + frames.join(',')
    separator = ','
  }
  yield ']}'
}

/** Neighbours of one period, project and metric. */
function framesOf(points: readonly DataPoint[]): readonly (readonly DataPoint[])[] {
  const frames: DataPoint[][] = []
  for (const point of points) {
    const frame = frames.at(-1)
    const [first] = frame ?? []
    if (frame === undefined || first === undefined || !isTogether(first, point))
      frames.push([point])
    else frame.push(point)
  }
  return frames
}

function isTogether(a: DataPoint, b: DataPoint): boolean {
  return (
    a.begin === b.begin && a.end === b.end && a.metric === b.metric && tenantOf(a) === tenantOf(b)
  )
}

function tenantOf(point: DataPoint): string {
  return describedBy(point, scopeKey) ?? noProject
}

function frameView(frame: readonly DataPoint[]) {
  const [first] = frame
  if (first === undefined) return {}
  return {
    begin: formatNaive(first.begin),
    end: formatNaive(first.end),
    tenant_id: tenantOf(first),
    resources: frame.map(({ metric, qty, price, groupby, metadata }) => ({
      service: metric,
      desc: { ...metadata, ...groupby },
      volume: formatDecimal(qty),
      rating: formatDecimal(price),
    })),
  }
}
