import { ApiError } from '../../errors.ts'
import type { Caller } from '../../identity/caller.ts'
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
const objectTypes = ['all', 'zone', 'record', 'comment'] as const

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
      if (!objectTypes.some(type => type === objectType))
        throw new ApiError('bad_request', `object_type must be one of ${objectTypes.join(', ')}`)
      const limit = Number(query.get('max') ?? defaultMax)
      if (!Number.isSafeInteger(limit) || limit < 1 || limit > maxMax)
        throw new ApiError('bad_request', `max must be a whole number from 1 to ${maxMax}`)
      const pattern = query.get('q')
      if (!pattern) throw new ApiError('bad_request', 'q is missing')
      if (pattern.length > maxPatternLength)
        throw new ApiError('bad_request', `q has at most ${maxPatternLength} characters`)
      const search = { caller, isMatch: matcherOf(pattern), limit }
      return turns.run(caller.projectId, async () => {
        const found = [
          ...(isAsked(objectType, 'zone') ? await zonesFound(services, search) : []),
          ...(isAsked(objectType, 'record') ? await recordsFound(services, search) : []),
          ...(isAsked(objectType, 'comment') ? await commentsFound(services, search) : []),
        ]
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

function isAsked(objectType: string, type: string): boolean {
  return objectType === 'all' || objectType === type
}

/** `*` stands for anything and `?` for one character; without either the text is looked for anywhere. */
function matcherOf(pattern: string): Search['isMatch'] {
  const wanted = /[*?]/.test(pattern) ? pattern : `*${pattern}*`
  const fits = patternMatcher(wanted, '?')
  // Names are searched for with and without their final dot.
  return given => fits(given) || (given.endsWith('.') && fits(given.slice(0, -1)))
}

async function zonesFound({ zones }: Services, { caller, isMatch, limit }: Search) {
  const matches = ({ name }: { readonly name: string }) => isMatch(name)
  const { rows } = await zones.list(caller, { ...byCreation, limit, matches })
  return rows.map(({ name }) => ({ name, object_type: 'zone', zone_id: name }))
}

async function recordsFound({ recordsets }: Services, { caller, isMatch, limit }: Search) {
  const { rows } = await recordsets.listAll(caller, {
    ...byCreation,
    limit,
    matches: ({ name, records }) => isMatch(name) || records.some(isMatch),
  })
  return rows.flatMap(recordset => {
    const zone = recordsets.found(recordset)?.zone
    if (zone === undefined) return []
    const { name, type, records } = recordset
    const common = { name, object_type: 'record', type, ttl: ttlOf(recordset, zone) }
    return records
      .filter(content => isMatch(name) || isMatch(content))
      .map(content => ({
        ...common,
        content,
        disabled: false,
        zone: zone.name,
        zone_id: zone.name,
      }))
  })
}

async function commentsFound({ recordsets }: Services, { caller, isMatch, limit }: Search) {
  const { rows } = await recordsets.listAll(caller, {
    ...byCreation,
    limit,
    matches: ({ description }) => description !== null && isMatch(description),
  })
  return rows.flatMap(recordset => {
    const zone = recordsets.found(recordset)?.zone.name
    const { name, type, description: content } = recordset
    if (zone === undefined) return []
    return [{ content, name, object_type: 'comment', type, zone, zone_id: zone }]
  })
}
