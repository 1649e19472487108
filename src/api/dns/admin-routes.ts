import type { Static, TObject, TProperties } from 'typebox'
import type { ErrorType } from '../../errors.ts'
import type { Rule } from '../../identity/policy.ts'
import type { Changes } from '../../model/changes.ts'
import type { Collections } from '../../model/collections.ts'
import type { AdminCollection, AdminRows } from '../../service/rules/admin-rows.ts'
import { pageOf, partly, requestBody } from '../openapi/fields.ts'
import { type Route, route } from '../route.ts'
import { timesOf } from '../timestamps.ts'
import { listRoute } from './list-route.ts'
import type { ListAttributes } from './page-request.ts'
import { changeBody, requireAsShown } from './read-only-fields.ts'
import type { ViewContext } from './zones.view.ts'

/** A collection that administrators keep, as the API shows it. */
type AdminResource<C extends AdminCollection, D, R extends TProperties, O extends TProperties> = {
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
  /** The fields of its bodies: those that a new row must have, and others. A change may have any. */
  readonly required: R
  readonly optional: O
  readonly title: string
  readonly examples: { readonly draft: object; readonly changes: object }
  readonly draftFromBody: (body: Fields<R> & Partial<Fields<O>>) => D
  readonly changesFromBody: (body: Partial<Fields<R> & Fields<O>>) => Changes<D>
  /** The answer schema of a row, made with `adminRowAnswer`. */
  readonly answer: TObject
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

type Fields<P extends TProperties> = Static<TObject<P>>

/** The five routes of such a collection. */
export function adminRoutes<
  C extends AdminCollection,
  D,
  R extends TProperties,
  O extends TProperties,
>(resource: AdminResource<C, D, R, O>): readonly Route[] {
  const { rows, plural, rule, called, idName, answer, refusals } = resource
  const { readRule = rule, sortValues, filterValues, required, optional, title } = resource
  const path = `/${plural}`
  const itemPath = `${path}/:${idName}`
  const change = changeBody(title, {
    fields: { ...required, ...optional },
    shown: answer,
    example: resource.examples.changes,
  })
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
      bodySchema: requestBody(title, { ...required, ...partly(optional) }, resource.examples.draft),
      async respond(context) {
        const row = await rows.create(resource.draftFromBody(context.body as never))
        return viewOf(row, context)
      },
    }),
    route(`GET ${itemPath}`, {
      rule: readRule,
      summary: `Shows ${called}`,
      answers: { 200: answer },
      refusals: [refusals.missing],
      respond: context => viewOf(rows.get(context.id(idName)), context),
    }),
    route(`PATCH ${itemPath}`, {
      rule,
      summary: `Changes ${called}`,
      answers: { 200: answer },
      refusals: [refusals.missing, ...refusals.taken],
      bodySchema: change.schema,
      async respond(context) {
        const { body } = context
        const id = context.id(idName)
        const shown = viewOf(rows.get(id), context)
        requireAsShown('object', change.readOnly, { body, shown })
        const row = await rows.update(id, resource.changesFromBody(body as never))
        return viewOf(row, context)
      },
    }),
    route(`DELETE ${itemPath}`, {
      rule,
      summary: `Deletes ${called}`,
      answers: { 204: null },
      refusals: [refusals.missing, ...(refusals.inUse === undefined ? [] : [refusals.inUse])],
      respond: context => rows.delete(context.id(idName)),
    }),
  ]
}
