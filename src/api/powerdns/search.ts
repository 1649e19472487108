import { ApiError } from '../../errors.ts'
import type { Caller } from '../../identity/caller.ts'
import type { Recordset } from '../../model/recordset.ts'
import type { Zone } from '../../model/zone.ts'
import { newPageTurns } from '../paging.ts'
import { patternMatcher } from '../pattern.ts'
import { type Route, route } from '../route.ts'
import type { Services } from '../services.ts'
import { searchAnswer } from './answers.ts'
import { serverPath, ttlOf } from './zones.view.ts'

const defaultMax = 100
const maxMax = 10_000
/** A wildcard for one character has a value compared as often as the pattern is long. */
const maxPatternLength = 255

/** A search over names, values and comments. */
export function searchRoute(services: Services): Route {
  const turns = newPageTurns()
  return route(`GET ${serverPath}/search-data`, {
    rule: 'find_recordsets',
    summary: 'Searches zones, records and comments',
    answers: { 200: searchAnswer },
    refusals: ['bad_request'],
    async respond({ caller, query }) {
      const objectType = query.get('object_type') ?? 'all'
      const finders = Object.entries(findersByType)
      const asked = finders.filter(([type]) => objectType === 'all' || objectType === type)
      if (asked.length === 0) {
        const types = ['all', ...Object.keys(findersByType)].join(', ')
        throw new ApiError('bad_request', `object_type must be one of ${types}`)
      }
      const limit = Number(query.get('max') ?? defaultMax)
      if (!Number.isSafeInteger(limit) || limit < 1 || limit > maxMax)
        throw new ApiError('bad_request', `max must be a whole number from 1 to ${maxMax}`)
      const pattern = query.get('q')
      if (!pattern) throw new ApiError('bad_request', 'q is missing')
      if (pattern.length > maxPatternLength)
        throw new ApiError('bad_request', `q has at most ${maxPatternLength} characters`)
      const search = { caller, isMatch: matcherOf(pattern), limit }
      return turns.run(caller.projectId, async () => {
        const found: object[] = []
        for (const [, find] of asked) found.push(...(await find(services, search)))
        return found.slice(0, limit)
      })
    },
  })
}

const byCreation = { marker: undefined, isDescending: false, sortBy: undefined, name: undefined }

type Search = {
  readonly caller: Caller
  readonly isMatch: (text: string) => boolean
  readonly limit: number
}

/** In the order of their answers. */
const findersByType = { zone: zonesFound, record: recordsFound, comment: commentsFound }

/** `*` stands for anything and `?` for one character; the whole text is compared. */
function matcherOf(pattern: string): Search['isMatch'] {
  const fits = patternMatcher(pattern, '?')
  // Names are searched for with and without their final dot.
  return given => fits(given) || (given.endsWith('.') && fits(given.slice(0, -1)))
}

async function zonesFound({ zones }: Services, { caller, isMatch, limit }: Search) {
  const matches = ({ name }: { readonly name: string }) => isMatch(name)
  const { rows } = await zones.list(caller, { ...byCreation, limit, matches })
  return rows.map(row => {
    const name = row.name.toLowerCase()
    return { name, object_type: 'zone', zone_id: name }
  })
}

async function recordsFound(services: Services, search: Search) {
  const { isMatch } = search
  const matches = ({ name, records }: Recordset) => isMatch(name) || records.some(isMatch)
  return recordsetsFound(services, { ...search, matches }, (recordset, zone) => {
    const { name, records } = recordset
    const place = placeOf(recordset, zone)
    const common = { ...place, object_type: 'record', ttl: ttlOf(recordset, zone) }
    return records
      .filter(content => isMatch(name) || isMatch(content))
      .map(content => ({ ...common, content, disabled: false }))
  })
}

async function commentsFound(services: Services, search: Search) {
  const { isMatch } = search
  const matches = ({ name, description }: Recordset) =>
    description !== null && (isMatch(name) || isMatch(description))
  return recordsetsFound(services, { ...search, matches }, (recordset, zone) => {
    const { description: content } = recordset
    return [{ ...placeOf(recordset, zone), object_type: 'comment', content }]
  })
}

async function recordsetsFound(
  { recordsets }: Services,
  { caller, limit, matches }: Search & { readonly matches: (row: Recordset) => boolean },
  view: (recordset: Recordset, zone: Zone) => readonly object[],
): Promise<readonly object[]> {
  const { rows } = await recordsets.listAll(caller, { ...byCreation, limit, matches })
  return rows.flatMap(row => {
    const zone = recordsets.found(row)?.zone
    return zone === undefined ? [] : view(row, zone)
  })
}

/** Which RRset something was found in. */
function placeOf({ name, type }: Recordset, zone: Zone) {
  const zoneName = zone.name.toLowerCase()
  return { name: name.toLowerCase(), type, zone: zoneName, zone_id: zoneName }
}
