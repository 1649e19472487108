import { Type } from 'typebox'
import { parsedBody, recordAt } from '../../../rating/body-values.ts'
import { maxBodyOctets } from '../../middleware/read-body.ts'
import { component } from '../../openapi/fields.ts'
import {
  type CallerRoute,
  onlyAnswer,
  type Reply,
  type RequestContext,
  type Responding,
  type Route,
  route,
} from '../../route.ts'
import { Arguments } from './arguments.ts'

/** A call of CloudKitty's first API. */
export type Call = Pick<RequestContext, 'caller' | 'requireClient'> & {
  readonly args: Arguments
  /** Address that was called, without query and trailing slash. Always absolute: clients take a Location as it is. */
  readonly url: string
}

type Declared = 'method' | 'path' | 'rule' | 'summary' | 'answers' | 'refusals'

/** What can be called, and with which arguments; those that must be in the path are in it. */
export type CallSpec = Pick<CallerRoute, Declared> & {
  /** The argument that may be a last part of the path as well. */
  readonly inPath?: string
  /** All arguments there are, those of the path included. */
  readonly names?: readonly string[]
} & Responding<Call>

/** The routes of calls, of which those with an argument that may be in the path make two. */
export function callRoutes(specs: readonly CallSpec[]): readonly Route[] {
  return specs.flatMap(spec =>
    spec.inPath === undefined
      ? [callRoute(spec, spec.path)]
      : [callRoute(spec, spec.path), callRoute(spec, `${spec.path}/:${spec.inPath}`)],
  )
}

function callRoute(spec: CallSpec, path: string): Route {
  const { rule, summary, answers, refusals = [], names = [] } = spec
  const { handler = onlyAnswer<Call>(spec) } = spec
  return route(`${spec.method} ${path}`, {
    rule,
    summary,
    answers,
    refusals,
    query: argumentsSchema(names).properties,
    bodySchema: argumentsSchema(names),
    // Not parsed on the way here, which would round its numbers.
    textBody: { mediaType: 'application/json', maxOctets: maxBodyOctets },
    allowsEmptyBody: true,
    async handler({ parameters, query, body, caller, requireClient, baseUrl, path: called }) {
      const sources = {
        path: parameters,
        query,
        body: typeof body === 'string' ? recordAt(await parsedBody(body), []) : {},
      }
      return handler({
        args: new Arguments(sources, names),
        caller,
        requireClient,
        url: `${baseUrl}${called}`,
      })
    },
  })
}

/** The arguments by name; what each must be is stated where it is read. */
function argumentsSchema(names: readonly string[]) {
  const fields = names.map(name => [name, Type.Optional(Type.Unknown())])
  return component('arguments', Object.fromEntries(fields), {})
}

/** The answer to an update: a redirect to the changed row, which clients still expect. They follow it with the same method, so
 *  an update arrives repeatedly, until they stop; it writes once. */
export function sentBack(url: string): Reply {
  return { status: 302, headers: { location: url } }
}
