import type { TSchema } from 'typebox'
import type { ErrorType } from '../../../errors.ts'
import { listOrOne } from './answers.ts'
import type { Arguments } from './arguments.ts'
import type { Call, CallSpec } from './call.ts'

/** Rows of one kind that administrators keep. */
type Rows<R> = {
  readonly path: string
  /** The key of their list. */
  readonly plural: string
  /** The argument that names one. */
  readonly idName: string
  readonly answer: TSchema
  readonly view: (row: R) => object
  readonly rows: { get(id: string): R; delete(id: string, args: Arguments): Promise<void> }
  readonly list: {
    readonly summary: string
    /** Its arguments besides the id. */
    readonly names?: readonly string[]
    readonly refusals: readonly ErrorType[]
    readonly views: (args: Arguments) => readonly object[]
  }
  readonly create: {
    readonly summary: string
    readonly names: readonly string[]
    readonly row: (call: Call) => Promise<R>
  }
  readonly remove: {
    readonly summary: string
    readonly names?: readonly string[]
  }
}

export const moduleRule = 'rating:module_config'

/** The calls that list such rows or show one, add one, and delete one. */
export function rowCalls<R extends { readonly id: string }>(kind: Rows<R>): readonly CallSpec[] {
  const { path, plural, idName, answer, view, rows, list, create, remove } = kind
  const common = { path, rule: moduleRule } as const
  return [
    {
      ...common,
      method: 'GET',
      inPath: idName,
      names: [idName, ...(list.names ?? [])],
      summary: list.summary,
      answers: { 200: listOrOne(plural, answer) },
      refusals: list.refusals,
      respond({ args }) {
        const id = args.uuid(idName)
        return id === undefined ? { [plural]: list.views(args) } : view(rows.get(id))
      },
    },
    {
      ...common,
      method: 'POST',
      names: create.names,
      summary: create.summary,
      answers: { 201: answer },
      refusals: ['bad_request', 'conflict'],
      async handler(call) {
        const row = await create.row(call)
        return { status: 201, headers: { location: `${call.url}/${row.id}` }, body: view(row) }
      },
    },
    {
      ...common,
      method: 'DELETE',
      inPath: idName,
      names: [idName, ...(remove.names ?? [])],
      summary: remove.summary,
      answers: { 204: null },
      refusals: ['not_found'],
      respond: ({ args }) => rows.delete(args.requiredUuid(idName), args),
    },
  ]
}
