import type { Instant } from '../model/rating.ts'
import type { Steps } from '../time-slice.ts'
import {
  attributesAt,
  decimalAt,
  listAt,
  maxNameLength,
  objectAt,
  type Path,
  recordAt,
  refuseValue,
  requireText,
} from './body-values.ts'
import { type DataPoint, scopeKey } from './data-point.ts'
import { add, type Decimal, zero } from './decimal.ts'
import { type Rules, ratePoint } from './modules.ts'

/** Maximum number of resources in one quote. */
export const maxQuotedResources = 10_000

/** The calling project and the time: rules may be for one project, or for a time. */
type QuoteContext = {
  readonly projectId: string
  /** Whether the caller may ask what another project would pay. */
  readonly mayNameProject: boolean
  readonly at: Instant
}

/** Reads hypothetical resources, `[{service, volume, desc: {groupby, metadata}}]`, as points, one per step. They belong to the
 *  calling project, unless it may name another and does. Other members of `desc` are metadata, as clients once sent it.
 *  @throws ApiError invalid_object with the first offending path */
export function* pointsToQuote(
  resources: unknown,
  { projectId, mayNameProject, at }: QuoteContext,
): Steps<readonly DataPoint[]> {
  const own = { [scopeKey]: projectId }
  const points: DataPoint[] = []
  const list = listAt(resources, ['resources'])
  if (list.length > maxQuotedResources)
    refuseValue(['resources'], `expected at most ${maxQuotedResources} resources`)
  for (const [i, resource] of list.entries()) {
    const path = ['resources', i]
    const { service, volume, desc } = objectAt(resource, path, {
      required: ['service'],
      optional: ['volume', 'desc'],
    })
    if (typeof service !== 'string') refuseValue([...path, 'service'], 'expected a string')
    requireText(service, [...path, 'service'], maxNameLength)
    const { groupby, metadata } = descriptionAt(desc ?? {}, [...path, 'desc'])
    points.push({
      metric: service,
      begin: at,
      end: at,
      unit: '',
      qty: decimalAt(volume ?? 1, [...path, 'volume']),
      price: zero,
      groupby: mayNameProject ? { ...own, ...groupby } : { ...groupby, ...own },
      metadata,
    })
    yield
  }
  return points
}

/** The cost of points by these rules, likewise. */
export function* quote(points: readonly DataPoint[], rules: Rules): Steps<Decimal> {
  let sum = zero
  for (const point of points) {
    sum = add(sum, ratePoint(point, rules).price)
    yield
  }
  return sum
}

function descriptionAt(value: unknown, path: Path): Pick<DataPoint, 'groupby' | 'metadata'> {
  const { groupby = {}, metadata = {}, ...bare } = recordAt(value, path)
  return {
    groupby: attributesAt(groupby, [...path, 'groupby']),
    metadata: {
      ...attributesAt(bare, path),
      ...attributesAt(metadata, [...path, 'metadata']),
    },
  }
}
