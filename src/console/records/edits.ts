import type { Recordset } from './recordset.ts'

// The user's changes of a zone that are not sent yet. They become one change set, which is applied completely or not at all.

/** The intended state of a record set. Names may be relative to the zone. */
export type Draft = {
  readonly name: string
  readonly type: string
  readonly ttl: number | null
  readonly records: readonly string[]
}

/** One edit; `key` stays the same while it is edited further. */
export type Edit =
  | { readonly kind: 'create'; readonly key: string; readonly draft: Draft }
  | {
      readonly kind: 'replace'
      readonly key: string
      readonly draft: Draft
      readonly before: Recordset
    }
  | { readonly kind: 'delete'; readonly key: string; readonly before: Recordset }

/** The same edits of the record sets as they are now, by id. What would change nothing is no edit any more, and a new state of a record
 *  set that is gone creates it. */
export function editsOf(
  edits: readonly Edit[],
  current: ReadonlyMap<string, Recordset>,
): readonly Edit[] {
  const renewed = edits.flatMap((edit): readonly Edit[] => {
    if (edit.kind === 'create') return [edit]
    const before = current.get(edit.before.id)
    if (before !== undefined) return [{ ...edit, before }]
    return edit.kind === 'delete' ? [] : [{ kind: 'create', key: edit.key, draft: edit.draft }]
  })
  return renewed.reduce<readonly Edit[]>(withEdit, [])
}

/** The body of `POST /v2/zones/:zone_id/changes`. */
export type ChangeSet = {
  readonly create: readonly Draft[]
  readonly replace: readonly Replacement[]
  readonly delete: readonly { readonly id: string; readonly expected: Expected }[]
}

type Replacement = Pick<Draft, 'ttl' | 'records'> & {
  readonly id: string
  readonly expected: Expected
}

/** The state that the record set must still have, so that a concurrent change is not overwritten. */
type Expected = Pick<Recordset, 'ttl' | 'records'>

/** An edit of a record set that stays. */
export type ChangingEdit = Exclude<Edit, { readonly kind: 'delete' }>

/** Adds an edit, replacing one with the same key. A replacement that changes nothing is removed. */
export function withEdit(edits: readonly Edit[], edit: Edit): readonly Edit[] {
  if (edit.kind === 'replace' && isSame(edit.draft, edit.before))
    return withoutEdit(edits, edit.key)
  const at = edits.findIndex(({ key }) => key === edit.key)
  return at < 0 ? [...edits, edit] : edits.with(at, edit)
}

export function withoutEdit(edits: readonly Edit[], key: string): readonly Edit[] {
  return edits.filter(edit => edit.key !== key)
}

export function changeSetOf(edits: readonly Edit[]): ChangeSet {
  return {
    create: edits.flatMap(edit => (edit.kind === 'create' ? [edit.draft] : [])),
    replace: edits.flatMap(edit => (edit.kind === 'replace' ? [replacement(edit)] : [])),
    delete: edits.flatMap(edit =>
      edit.kind === 'delete' ? [{ id: edit.before.id, expected: expected(edit.before) }] : [],
    ),
  }
}

/** An error in a field of a body: its path, and the server's message. */
export type FieldRefusal = {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** A message about an edit: about one value, by its index in `records`, or about the whole edit. */
export type Problem = {
  readonly key: string
  readonly record: number | undefined
  readonly message: string
}

/** Assigns the errors of a refusal to edits; those about no edit are left out. */
export function problemsOf(
  edits: readonly Edit[],
  fields: readonly FieldRefusal[],
): readonly Problem[] {
  return fields.flatMap(({ path: [list, at, field, record], message }) => {
    const edit = edits.filter(({ kind }) => kind === list)[Number(at)]
    if (edit === undefined) return []
    const isOfValue = field === 'records' && typeof record === 'number'
    return [{ key: edit.key, record: isOfValue ? record : undefined, message }]
  })
}

function replacement({ before, draft }: Edit & { readonly kind: 'replace' }): Replacement {
  return { id: before.id, ttl: draft.ttl, records: draft.records, expected: expected(before) }
}

function expected({ ttl, records }: Recordset): Expected {
  return { ttl, records }
}

function isSame(draft: Draft, before: Recordset): boolean {
  return draft.ttl === before.ttl && draft.records.join('\n') === before.records.join('\n')
}
