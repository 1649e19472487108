import { ApiError } from '../errors.ts'
import type { Instant } from '../model/rating.ts'
import { attributeOf } from './attributes.ts'
import { calendarAttributes, calendarValue, isCalendarAttribute } from './calendar.ts'
import { metricFilter } from './filters.ts'
import type { Series } from './segments/series.ts'

/** What a summary has one row for. */
export type Grouping = {
  /** Attributes, and the summary's columns for them, in the order asked for. `type` is the metric. */
  readonly names: readonly string[]
  /** Whether each collect period has separate rows. */
  readonly byPeriod: boolean
}

export const noGrouping: Grouping = { names: [], byPeriod: false }

/** Reads what to group by; a parameter may hold several elements, separated by commas.
 *  @throws ApiError bad_request there is no such calendar attribute */
export function parseGroupby(parameters: readonly string[]): Grouping {
  const elements = parameters.flatMap(parameter => parameter.split(',')).filter(text => text !== '')
  const names = elements.filter(element => element !== 'time').map(nameOf)
  return { names: [...new Set(names)], byPeriod: elements.includes('time') }
}

/** The value that all points of the series are grouped under; undefined where it depends on their begin. Only groupby
 *  attributes count; a missing one is empty, or that of the calendar if it is a calendar attribute. */
export function fixedValue(name: string, series: Series): string | undefined {
  if (name === metricFilter) return series.metric
  return attributeOf(series.groupby, name) ?? (isCalendarAttribute(name) ? undefined : '')
}

/** The value that a point of the series is grouped under. */
export function groupValue(name: string, series: Series, begin: Instant): string {
  const fixed = fixedValue(name, series)
  if (fixed !== undefined) return fixed
  return isCalendarAttribute(name) ? calendarValue(name, begin) : ''
}

/** `time-d` and the like are calendar attributes. An element with more dashes is an attribute of that name. */
function nameOf(element: string): string {
  const [prefix, letter, ...rest] = element.split('-')
  if (prefix !== 'time' || letter === undefined || rest.length > 0) return element
  const attribute = calendarAttributes.get(letter)
  if (attribute !== undefined) return attribute
  throw new ApiError(
    'bad_request',
    `Invalid groupby time option. There is no groupby processing for [${element}].`,
  )
}
