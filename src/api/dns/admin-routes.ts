import type { Static, TSchema } from 'typebox'
import type { ErrorType } from '../../errors.ts'
import type { Rule } from '../../identity/policy.ts'
import type { Changes } from '../../model/changes.ts'
import type { Collections } from '../../model/collections.ts'
import type { AdminCollection, AdminRows } from '../../service/rules/admin-rows.ts'
import { pageOf } from '../openapi/fields.ts'
import { uuidParameter } from '../parameters.ts'
import { type Route, route } from '../route.ts'
import { timesOf } from '../timestamps.ts'
import { listRoute } from './list-route.ts'
import type { ListAttributes } from './page-request.ts'
import { commonReadOnlyFields, requireAsShown } from './read-only-fields.ts'
import type { ViewContext } from './zones.view.ts'

/** A collection that administrators keep, as the API shows it. */
type AdminResource<C extends AdminCollection, D, Create extends TSchema, Patch extends TSchema> = {
  readonly rows: AdminRows<C, D>
  /** The plural in paths and lists. */
  readonly plural: string
  /** The parameter in paths. */
  readonly idName: string
  readonly rule: Rule
  /** Who may read them; the same when not given. */
  readonly readRule?: Rule
  /** For the reference documentation, with its article. */
  readonly called: string
  readonly createSchema: Create
  readonly patchSchema: Patch
  readonly draftFromBody: (body: Static<Create>) => D
  readonly changesFromBody: (body: Static<Patch>) => Changes<D>
  /** The answer schema of a row, made with `adminRowAnswer`. */
  readonly answer: TSchema
  /** The refusals of a row that does not exist, and of one that exists already. */
  readonly refusals: {
    readonly missing: ErrorType
    readonly taken: readonly ErrorType[]
    readonly inUse?: ErrorType
  }
  /** All but id, times and links. */
  readonly fieldsOf: (row: Collections[C]) => object
  /** Besides the id and the times. */
  readonly sortValues: ListAttributes<Collections[C]>['sortValues']
  readonly filterValues: ListAttributes<Collections[C]>['filterValues']
}

/** The five routes of such a collection. */
export function adminRoutes<
  C extends AdminCollection,
  D,
  Create extends TSchema,
  Patch extends TSchema,
>(resource: AdminResource<C, D, Create, Patch>): readonly Route[] {
  const { rows, plural, rule, called, idName, answer, refusals } = resource
  const { readRule = rule, sortValues, filterValues } = resource
  const path = `/${plural}`
  const itemPath = `${path}/:${idName}`
  const viewOf = (row: Collections[C], { baseUrl }: ViewContext) => ({
    id: row.id,
    ...resource.fieldsOf(row),
    ...timesOf(row),
    links: { self: `${baseUrl}${path}/${row.id}` },
  })
  return [
    listRoute(`GET ${path}`, {
      rule: readRule,
      summary: `Lists ${plural}`,
      answer: pageOf(plural, answer),
      key: plural,
      attributes: {
        sortValues: { id: row => row.id, updated_at: row => row.updatedAt, ...sortValues },
        filterValues,
      },
      pageOf: (_, request) => rows.list(request),
      viewOf,
    }),
    route(`POST ${path}`, {
      rule,
      summary: `Creates ${called}`,
      answers: { 201: answer },
      refusals: refusals.taken,
      bodySchema: resource.createSchema,
      async respond(context) {
        const row = await rows.create(resource.draftFromBody(context.body))
        return viewOf(row, context)
      },
    }),
    route(`GET ${itemPath}`, {
      rule: readRule,
      summary: `Shows ${called}`,
      answers: { 200: answer },
      refusals: [refusals.missing],
      respond: context => viewOf(rows.get(uuidParameter(context, idName)), context),
    }),
    route(`PATCH ${itemPath}`, {
      rule,
      summary: `Changes ${called}`,
      answers: { 200: answer },
      refusals: [refusals.missing, ...refusals.taken],
      bodySchema: resource.patchSchema,
      async respond(context) {
        const { body } = context
        const id = uuidParameter(context, idName)
        const shown = viewOf(rows.get(id), context)
        requireAsShown('object', commonReadOnlyFields, { body, shown })
        const row = await rows.update(id, resource.changesFromBody(body))
        return viewOf(row, context)
      },
    }),
    route(`DELETE ${itemPath}`, {
      rule,
      summary: `Deletes ${called}`,
      answers: { 204: null },
      refusals: [refusals.missing, ...(refusals.inUse === undefined ? [] : [refusals.inUse])],
      respond: context => rows.delete(uuidParameter(context, idName)),
    }),
  ]
}
