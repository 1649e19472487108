import type { FieldError } from '../errors.ts'
import type { Changes } from './changes.ts'
import { immutableError } from './field-rules.ts'
import { canonicalOwnerName, type NameForm } from './owner-name.ts'
import { recordTypeError } from './record-type.ts'
import { checkRecords, rdatasError } from './record-values.ts'
import type { Recordset } from './recordset.ts'
import { recordsetNameError } from './recordset-name.ts'

/** The fields of a new recordset. The schemas have already checked lengths and ranges (limits.ts). */
export type RecordsetDraft = Pick<
  Recordset,
  'name' | 'type' | 'ttlSeconds' | 'description' | 'records'
>

/** Changes of a recordset; an undefined field stays as it is. Name and type may be sent, but not changed. */
export type RecordsetPatch = Changes<RecordsetDraft>

/** Checks a new recordset's fields. Whether it may be at its name depends on its zone. */
export function recordsetDraftErrors(
  draft: RecordsetDraft,
  form: NameForm = 'any',
): (FieldError | undefined)[] {
  const typeError = recordTypeError(draft.type)
  return [
    typeError,
    recordsetNameError(draft.name, draft.type, form),
    // Values cannot be parsed without a valid type.
    ...(typeError === undefined ? checkRecords(draft.type, draft.records).errors : []),
  ]
}

/** Checks a new recordset whose records are given as octets, without duplicates. */
export function recordsetRdataErrors({
  name,
  type,
  rdatas,
}: Pick<RecordsetDraft, 'name' | 'type'> & {
  readonly rdatas: readonly Uint8Array[]
}): (FieldError | undefined)[] {
  return [recordTypeError(type), recordsetNameError(name, type, 'any'), rdatasError(rdatas)]
}

/** Checks the changes of a recordset. */
export function recordsetPatchErrors(
  recordset: Recordset,
  patch: RecordsetPatch,
): (FieldError | undefined)[] {
  return [
    immutableError('name', {
      sent: patch.name && canonicalOwnerName(patch.name).toLowerCase(),
      stored: recordset.name.toLowerCase(),
    }),
    immutableError('type', { sent: patch.type, stored: recordset.type }),
    ...checkRecords(recordset.type, patch.records ?? []).errors,
  ]
}
