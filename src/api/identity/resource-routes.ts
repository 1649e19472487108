import { type Static, type TSchema, Type } from 'typebox'
import type { ErrorType } from '../../errors.ts'
import type { Rule } from '../../identity/policy.ts'
import { component } from '../openapi/fields.ts'
import { type PrincipalContext, type PublicContext, type Route, route } from '../route.ts'
import { collectionAnswer } from './answers.ts'
import { collectionView } from './collection.view.ts'
import { filtersOf } from './filters.ts'

/** The operations of the five routes of one kind of row. `id` is the row's, from the path. */
type Resource<Row, F extends string, C extends TSchema, U extends TSchema> = {
  /** The kind's names in paths and bodies: `user`, `users`. */
  readonly one: string
  readonly many: string
  view(row: Row, context: PublicContext): object
  /** What a view is. */
  readonly answer: TSchema
  readonly list: {
    readonly summary: string
    readonly filters: readonly F[]
    rows(given: Readonly<Partial<Record<F, string>>>): readonly Row[]
  }
  readonly create: {
    readonly summary: string
    readonly refusals?: readonly ErrorType[]
    /** Of the object in the body. */
    readonly schema: C
    readonly example: object
    row(given: Static<C>): Promise<Row>
  }
  readonly show: {
    readonly summary: string
    readonly rule?: Rule
    row(context: PrincipalContext, id: string): Row
  }
  readonly update: {
    readonly summary: string
    readonly refusals?: readonly ErrorType[]
    readonly schema: U
    readonly example: object
    row(id: string, given: Static<U>): Promise<Row>
  }
  readonly remove: {
    readonly summary: string
    readonly refusals?: readonly ErrorType[]
    run(id: string): Promise<void>
  }
}

/** The routes that list, create, show, change and delete rows of one kind, the same for all kinds as in Keystone. They are for
 *  administrators only, except that `show` may let others see a row. */
export function resourceRoutes<Row, const F extends string, C extends TSchema, U extends TSchema>(
  resource: Resource<Row, F, C, U>,
): readonly Route[] {
  const { one, many, view, list, create, show, update, remove } = resource
  const answer = Type.Object({ [one]: resource.answer })
  const path = `/v3/${many}`
  const rowPath = `${path}/:${one}_id`
  const rule = 'manage_identity'
  const idOf = ({ parameters }: PublicContext) => parameters[`${one}_id`] ?? ''
  const bodyOf = ({ schema, example }: { readonly schema: TSchema; readonly example: object }) =>
    component(one, { [one]: schema }, { [one]: example })
  const givenIn = ({ body }: { readonly body: object }) => Reflect.get(body, one)
  const shown = (row: Row, context: PublicContext) => ({ [one]: view(row, context) })
  return [
    route(`GET ${path}`, {
      access: 'principal',
      rule,
      summary: list.summary,
      answers: { 200: collectionAnswer(many, resource.answer) },
      query: Object.fromEntries(list.filters.map(name => [name, Type.String()])),
      refusals: ['bad_request'],
      respond(context) {
        const rows = list.rows(filtersOf(context.query, list.filters))
        const views = rows.map(row => view(row, context))
        return collectionView(context, many, views)
      },
    }),
    route(`POST ${path}`, {
      access: 'principal',
      rule,
      summary: create.summary,
      answers: { 201: answer },
      refusals: ['conflict', ...(create.refusals ?? [])],
      bodySchema: bodyOf(create),
      respond: async context => shown(await create.row(givenIn(context)), context),
    }),
    route(`GET ${rowPath}`, {
      access: 'principal',
      summary: show.summary,
      answers: { 200: answer },
      refusals: ['forbidden', 'not_found'],
      ...(show.rule && { rule: show.rule }),
      respond: context => shown(show.row(context, idOf(context)), context),
    }),
    route(`PATCH ${rowPath}`, {
      access: 'principal',
      rule,
      summary: update.summary,
      answers: { 200: answer },
      refusals: ['not_found', 'conflict', ...(update.refusals ?? [])],
      bodySchema: bodyOf(update),
      respond: async context => shown(await update.row(idOf(context), givenIn(context)), context),
    }),
    route(`DELETE ${rowPath}`, {
      access: 'principal',
      rule,
      summary: remove.summary,
      answers: { 204: null },
      refusals: ['not_found', ...(remove.refusals ?? [])],
      respond: context => remove.run(idOf(context)),
    }),
  ]
}
