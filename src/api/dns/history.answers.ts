import { Type } from 'typebox'
import {
  component,
  flag,
  listOf,
  objectsWith,
  orNull,
  pageOf,
  plainId,
  text,
  timestamp,
  uuid,
  whole,
} from '../openapi/fields.ts'

const named = Type.Object({ id: plainId, name: text('ci') })

/** Who made a change. */
export const actorAnswer = orNull(
  component('Actor', {
    road: text('v2'),
    user_id: orNull(plainId),
    user_name: orNull(text('ann')),
    project_id: orNull(plainId),
    application_credential: Type.Optional(named),
    tsig_key: Type.Optional(text('host.example.com.')),
    job: Type.Optional(text('finish-rewrites')),
    request_id: orNull(text('req-5b1c7f40-7d4e-4a53-9f0c-0a3c5b0f1d11')),
    address: orNull(text('192.0.2.7')),
  }),
)

const stamp = { id: whole(4711), created_at: timestamp, actor: actorAnswer }
const zoneChange = {
  zone_id: uuid,
  zone_name: orNull(text('example.com.')),
  action: Type.Unsafe<'create' | 'update' | 'delete'>(text('update')),
  serial_before: orNull(whole(1795262400)),
  serial: orNull(whole(1795262401)),
  fields: objectsWith({ name: text('ttl'), before: Type.Unknown(), after: Type.Unknown() }),
  diff: orNull(listOf(text('+www.example.com.  IN A 192.0.2.1'))),
  is_whole: flag,
}

export const zoneEntryAnswer = component('HistoryEntry', { ...stamp, ...zoneChange })

/** A page of a zone's history, or of a recordset's. */
export const zoneHistoryAnswer = pageOf('history', zoneEntryAnswer)

const otherChange = Type.Object({
  resource: text('users'),
  id: Type.String(),
  action: text('create'),
})
const zoneChanged = Type.Object({ resource: text('zones'), ...zoneChange })

export const commitAnswer = component('Commit', {
  ...stamp,
  changes: listOf(Type.Union([zoneChanged, otherChange])),
})

/** A page of the history of everything. */
export const historyAnswer = pageOf('history', commitAnswer)

/** What the query of a history may say. */
export const historyQuery = {
  limit: Type.String(),
  marker: Type.String(),
  actor: Type.String(),
  name: Type.String(),
  begin: Type.String(),
  end: Type.String(),
  format: Type.Enum(['ndjson']),
}
