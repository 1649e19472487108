import { ApiError, type FieldError, refuseMissing } from '../../errors.ts'
import type {
  ChangeList,
  ChangeSet,
  Deletion,
  Expectation,
  RecordsetKey,
  Replacement,
} from '../../model/change-set.ts'
import { canonicalOwnerName } from '../../model/owner-name.ts'
import { recordKeyOf, recordsKeyOf } from '../../model/record-values.ts'
import type { Recordset } from '../../model/recordset.ts'
import type { RecordsetDraft } from '../../model/recordset-draft.ts'
import { keyOf } from '../../store/indexes.ts'
import type { Transaction } from '../../store/store.ts'
import type { Steps } from '../../time-slice.ts'
import {
  checkedDraft,
  checkedPatch,
  deleteRecordset,
  putChangedRecordset,
  putNewRecordset,
  type RecordsetChange,
  type RecordsetChanges,
  requireNotManaged,
} from '../recordsets/recordset-rows.ts'
import { findRecordsetOf } from '../rules/find-recordset.ts'
import { getWritableRecordset } from '../rules/zone-access.ts'

/** The errors in the lines of a change set. */
class ChangeErrors {
  readonly #types = new Set<ApiError['type']>()
  readonly #fieldErrors: FieldError[] = []

  /** Runs the work for one line, and records why it is refused; undefined where it is refused. */
  at<T>(list: ChangeList, index: number, work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      this.#types.add(error.type)
      const own = error.fieldErrors.map(each => ({ ...each, path: [list, index, ...each.path] }))
      const whole = { path: [list, index], message: error.message, validator: error.type }
      this.#fieldErrors.push(...(own.length > 0 ? own : [whole]))
      return undefined
    }
  }

  /** @throws ApiError of the type that all errors have in common, else invalid_object, with every wrong line */
  throwIfAny(): void {
    const [type = 'invalid_object', ...others] = this.#types
    if (this.#fieldErrors.length === 0) return
    const shown = others.length === 0 ? type : 'invalid_object'
    throw new ApiError(shown, 'Nothing is changed: some lines are refused', {
      fieldErrors: this.#fieldErrors,
    })
  }
}

type Changed = {
  readonly list: ChangeList
  readonly index: number
  readonly before: Recordset
  readonly changes: RecordsetChanges
}
type Made = {
  readonly list: 'create' | 'replace'
  readonly index: number
  readonly draft: RecordsetDraft
}

/** The recordsets that a change set creates, changes and deletes. */
export type ChangedRecordsets = {
  readonly created: readonly Recordset[]
  readonly replaced: readonly { readonly before: Recordset; readonly after: Recordset }[]
  readonly deleted: readonly Recordset[]
}

/** Writes the lines of a change set to a zone that has been found writable, one step a line; the caller calls
 *  `advanceZone` afterwards. Deletions come first, and shrinking recordsets before growing ones, so that only the
 *  outcome must meet rules and quotas.
 *  @throws ApiError precondition_failed; the error of a line on its own; invalid_object where lines are refused for
 *  several reasons. Each wrong line is named. */
export function* writeLines(
  tx: Transaction,
  change: RecordsetChange,
  set: ChangeSet,
): Steps<ChangedRecordsets> {
  requireSerial(change, set)
  const lines = new Lines(tx, change)
  for (const [index, line] of set.delete.entries()) yield lines.find('delete', index, line)
  for (const [index, line] of set.replace.entries()) yield lines.find('replace', index, line)
  for (const [index, draft] of set.create.entries()) yield lines.check(index, draft)
  lines.unexpected.throwIfAny()
  const changed = yield* lines.write()
  lines.errors.throwIfAny()
  return changed
}

class Lines {
  /** Unmet expectations: reported alone, as they make all other errors doubtful. */
  readonly unexpected = new ChangeErrors()
  readonly errors = new ChangeErrors()
  readonly #tx: Transaction
  readonly #change: RecordsetChange
  readonly #named = new Set<string>()
  readonly #deleted: Recordset[] = []
  readonly #changed: Changed[] = []
  readonly #made: Made[] = []

  constructor(tx: Transaction, change: RecordsetChange) {
    this.#tx = tx
    this.#change = change
  }

  /** Finds what a line deletes or replaces, and checks the line on its own. */
  find(
    list: 'delete' | 'replace',
    index: number,
    line: Deletion & Partial<Replacement>,
  ): undefined {
    this.errors.at(list, index, () => {
      const before = this.#rowOf(line.key)
      this.unexpected.at(list, index, () => requireExpected(before, line.expected))
      if (before === undefined) this.#make(index, line.key, line.patch)
      else {
        this.#nameOnce(before)
        const patch = line.patch ?? patchWithout(before, line.records)
        requireNotManaged(this.#change, before, patch === undefined ? 'deleted' : 'updated')
        if (patch === undefined) this.#deleted.push(before)
        else this.#changed.push({ list, index, before, changes: checkedPatch(before, patch) })
      }
    })
  }

  /** Checks a creation on its own. */
  check(index: number, given: RecordsetDraft, list: Made['list'] = 'create'): undefined {
    this.errors.at(list, index, () => {
      const draft = checkedDraft(this.#change.caller, given)
      this.#nameOnce(draft)
      this.#made.push({ list, index, draft })
    })
  }

  *write(): Steps<ChangedRecordsets> {
    const tx = this.#tx
    const deleted = this.#deleted
    for (const row of deleted) yield void deleteRecordset(tx, this.#change.zone, row)
    const replaced = []
    for (const { list, index, before, changes } of this.#changed.sort(shrinkingFirst)) {
      const after = this.errors.at(list, index, () =>
        putChangedRecordset(tx, { ...this.#change, before }, changes),
      )
      if (after !== undefined) replaced.push({ before, after })
      yield
    }
    const created = []
    for (const { list, index, draft } of this.#made) {
      created.push(
        this.errors.at(list, index, () => putNewRecordset(tx, this.#change, draft)) ?? [],
      )
      yield
    }
    return { created: created.flat(), replaced, deleted }
  }

  /** @throws ApiError recordset_not_found, of an id; forbidden */
  #rowOf(key: RecordsetKey): Recordset | undefined {
    const { caller, zone } = this.#change
    const id = 'id' in key ? key.id : findRecordsetOf(this.#tx, zone, canonical(key))?.id
    return id === undefined ? undefined : getWritableRecordset(this.#tx, caller, { zone, id })
  }

  #make(index: number, key: RecordsetKey, patch: Replacement['patch'] | undefined): void {
    if (patch?.records === undefined || 'id' in key) refuseMissing('recordset_not_found')
    const { ttlSeconds = null, description = null, records } = patch
    this.check(index, { ...key, ttlSeconds, description, records }, 'replace')
  }

  /** @throws ApiError invalid_object */
  #nameOnce({ name, type }: Pick<Recordset, 'name' | 'type'>): void {
    const key = keyOf(name.toLowerCase(), type)
    if (this.#named.has(key)) {
      throw new ApiError('invalid_object', 'Another line is about the same recordset')
    }
    this.#named.add(key)
  }
}

function canonical({ name, type }: Pick<Recordset, 'name' | 'type'>) {
  return { name: canonicalOwnerName(name), type }
}

function shrinkingFirst(left: Changed, right: Changed): number {
  return growthOf(left) - growthOf(right)
}

function growthOf({ before, changes }: Changed): number {
  return (changes.records ?? before.records).length - before.records.length
}

function requireSerial({ zone }: RecordsetChange, { expectedSerial }: ChangeSet): void {
  if (expectedSerial === undefined || expectedSerial === zone.serial) return
  const message = `The zone has the serial ${zone.serial} and not ${expectedSerial}`
  throw new ApiError('precondition_failed', message)
}

/** @throws ApiError precondition_failed */
function requireExpected(row: Recordset | undefined, expected: Expectation | undefined): void {
  if (expected === undefined) return
  const { ttlSeconds, records } = expected
  if (row === undefined) throw unexpected('There is no such recordset')
  if (ttlSeconds !== undefined && ttlSeconds !== row.ttlSeconds) {
    throw unexpected(`The recordset has the TTL ${row.ttlSeconds}`)
  }
  if (records === undefined) return
  if (recordsKeyOf(row.type, records) === recordsKeyOf(row.type, row.records)) return
  throw unexpected('The recordset has other records')
}

/** What is left of a recordset without some of its values; undefined where nothing is.
 *  @throws ApiError bad_request it does not have one of them */
function patchWithout(
  { name, type, records }: Recordset,
  removed: readonly string[] | undefined,
): Replacement['patch'] | undefined {
  if (removed === undefined) return undefined
  const keys = new Set(records.map(record => recordKeyOf(type, record)))
  for (const value of removed) {
    if (keys.has(recordKeyOf(type, value))) continue
    throw new ApiError('bad_request', `${name} ${type} has no value ${value}`)
  }
  const gone = new Set(removed.map(value => recordKeyOf(type, value)))
  const left = records.filter(record => !gone.has(recordKeyOf(type, record)))
  return left.length === 0 ? undefined : { records: left }
}

function unexpected(message: string): ApiError {
  return new ApiError('precondition_failed', message)
}
