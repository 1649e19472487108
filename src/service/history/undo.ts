import { ApiError } from '../../errors.ts'
import type { Caller } from '../../identity/caller.ts'
import type { ChangeSet, Replacement } from '../../model/change-set.ts'
import { recordsKeyOf } from '../../model/record-values.ts'
import type { Recordset } from '../../model/recordset.ts'
import type { RecordsetDraft } from '../../model/recordset-draft.ts'
import type { Zone } from '../../model/zone.ts'
import { keyOf } from '../../store/indexes.ts'
import type { Store, StoreReader, ZoneCommit } from '../../store/store.ts'
import { inSlices, type Steps } from '../../time-slice.ts'
import type { ChangeSetOutcome, ChangeSets } from '../changes/change-sets.ts'
import { findRecordsetOf } from '../rules/find-recordset.ts'
import { findShare, getOwnZone } from '../rules/zone-access.ts'
import { readWhole } from './past-zone.ts'
import type { Retention } from './retention.ts'
import { type SettingsChanges, undoSettings, undoShare } from './settings-undo.ts'
import {
  actionOf,
  addChange,
  type ChangedField,
  changedFields,
  type RecordsetPair,
  type SharePair,
  type ZoneEntry,
  zoneEntryOf,
} from './zone-entry.ts'

// Undoes changes: the former state is written again as a change set, so all rules and quotas hold for it. Recordsets
// are identified by name and type, as one that was deleted and created again has another id.

/** One change, by the id of its entry, or all changes after the last one with a serial. */
export type UndoTarget = { readonly lsn: number } | { readonly serial: number }

/** Bounds on the part of the log that is read. */
const maxOctets = 64 * 1024 * 1024
const maxCommits = 10_000
/** Names that a refusal lists. */
const maxNamed = 10
/** How often the zone may be changed by others while the log is read. */
const maxTries = 3

/** The fields of a zone that are its content; what else changes is not undone. */
const contentFields = ['email', 'ttlSeconds', 'description', 'soaTimers'] as const
const fieldNames = {
  email: 'email',
  ttlSeconds: 'ttl',
  description: 'description',
  soaTimers: 'SOA',
} as const
/** The other fields of the zone that the history shows. */
const settingNames: Readonly<Record<string, string>> = {
  masters: 'masters',
  attributes: 'attributes',
  projectId: 'project',
  poolId: 'pool',
  updateRules: 'update rules',
}
type Content = Partial<Pick<Zone, (typeof contentFields)[number]>>

/** The combined effect of changes: each recordset before its first change and after its last. */
type Span = {
  readonly pairs: Map<string, RecordsetPair>
  /** The zone's content before and after. */
  before: Content
  after: Content
  /** Of one change that has changed settings of the zone too. */
  settings?: { readonly fields: readonly ChangedField[]; readonly before: Zone } | undefined
  /** Of one change that has changed nothing else. */
  share?: SharePair | undefined
}

type UndoParts = {
  readonly store: Store
  readonly changeSets: ChangeSets
  readonly retention: Retention
  readonly settings: SettingsChanges
}

/** Undoes changes of zones. */
export class Undo {
  readonly #parts: UndoParts

  constructor(parts: UndoParts) {
    this.#parts = parts
  }

  /** Undoes a change, or all changes after a serial, as one commit; or only returns what that would do.
   *  @throws ApiError zone_not_found, forbidden; not_found it is not in the history; bad_request it cannot be undone;
   *  conflict later changes are in its way; and as `ChangeSets.apply` */
  async apply(
    caller: Caller,
    zoneId: string,
    { target, isDryRun }: { readonly target: UndoTarget; readonly isDryRun: boolean },
  ): Promise<ChangeSetOutcome> {
    for (let left = maxTries; ; left -= 1) {
      const zone = getOwnZone(this.#parts.store, caller, zoneId)
      const span = await this.#span(zone, target)
      await inSlices(requireAsAfter(this.#parts.store, zone, span))
      const { settings, share } = span
      try {
        if (share !== undefined)
          return await undoShare(this.#parts.settings, caller, { zone, share, isDryRun })
        if (settings !== undefined)
          return await undoSettings(this.#parts.settings, caller, {
            zone,
            change: settings,
            isDryRun,
          })
        const set = await this.#changeSet(zone, span)
        return await this.#parts.changeSets[isDryRun ? 'dryRun' : 'apply'](caller, zoneId, set)
      } catch (error) {
        const isChanged = this.#parts.store.get('zones', zoneId)?.version !== zone.version
        if (!isChanged || left === 1) throw error
      }
    }
  }

  async #changeSet(zone: Zone, span: Span): Promise<ChangeSet> {
    const fields = changedContent(span)
    const lines = await inSlices(linesOf(span))
    if (fields.length + lines.create.length + lines.replace.length + lines.delete.length === 0)
      throw new ApiError('bad_request', 'There is nothing to undo')
    return {
      ...lines,
      zone: Object.fromEntries(fields.map(field => [field, span.before[field]])),
      expectedSerial: zone.serial,
    }
  }

  async #span(zone: Zone, target: UndoTarget): Promise<Span> {
    const span: Span = { pairs: new Map(), before: {}, after: {} }
    const commits = await this.#commits(zone, target)
    for await (const commit of readWhole(this.#parts.store, commits))
      await inSlices(addEntry(span, zoneEntryOf(commit, zone.id), { isOne: 'lsn' in target }))
    return span
  }

  /** The commits to undo, newest first. */
  async #commits(zone: Zone, target: UndoTarget): Promise<readonly ZoneCommit[]> {
    const commits: ZoneCommit[] = []
    let octetsLeft = maxOctets
    for await (const commit of this.#parts.retention.zoneCommits(zone)) {
      if ('serial' in target && commit.serial === target.serial) return commits
      if ('lsn' in target && commit.lsn > target.lsn) continue
      octetsLeft -= commit.octetCount
      if (octetsLeft < 0 || commits.push(commit) > maxCommits)
        throw new ApiError('bad_request', 'That is more than can be undone at once')
      if ('lsn' in target && commit.lsn === target.lsn) return commits
      if ('lsn' in target) break
    }
    throw new ApiError('not_found', 'That is not in the history of the zone, or not any more')
  }
}

/** Adds the changes of a commit that is older than all that were added before. */
function* addEntry(
  span: Span,
  entry: ZoneEntry,
  { isOne }: { readonly isOne: boolean },
): Steps<void> {
  if (actionOf(entry) !== 'update')
    throw new ApiError(
      'bad_request',
      'Undo neither creates nor deletes zones: delete the zone, or restore a deleted one',
    )
  const fields = changedFields(entry)
  if (isOne && entry.before !== undefined && fields.some(({ field }) => !isContent(field)))
    span.settings = { fields, before: entry.before }
  else if (isOne) [span.share] = entry.shares
  span.after = { ...contentOf(entry.after), ...span.after }
  span.before = { ...span.before, ...contentOf(entry.before) }
  const { pairs } = span
  const own = new Map<string, RecordsetPair>()
  for (const pair of entry.recordsets ?? []) {
    const row = pair.after ?? pair.before
    // SOA and NS follow from the zone.
    if (row === undefined || row.isManaged) continue
    yield void addChange(own, keyOf(row.name.toLowerCase(), row.type), pair)
  }
  for (const [key, { before, after }] of own) {
    const later = pairs.get(key)
    yield void pairs.set(key, { before, after: later === undefined ? after : later.after })
  }
}

/** The lines that restore each recordset that has changed. */
function* linesOf({ pairs }: Span): Steps<Pick<ChangeSet, 'create' | 'replace' | 'delete'>> {
  const create: RecordsetDraft[] = []
  const replace: Replacement[] = []
  const gone: ChangeSet['delete'][number][] = []
  for (const { before, after } of pairs.values()) {
    yield
    if (isSame(before, after)) continue
    if (before === undefined) gone.push({ key: keyIn(after as Recordset) })
    else if (after === undefined) create.push(draftOf(before))
    else replace.push({ key: keyIn(after), patch: draftOf(before) })
  }
  return { create, replace, delete: gone }
}

/** The content fields that the changes have changed: other fields may have changed since, and stay. */
function changedContent({ before, after }: Span) {
  return contentFields.filter(field => !isEqual(after[field], before[field]))
}

/** @throws ApiError conflict something has changed since */
function* requireAsAfter(reader: StoreReader, zone: Zone, span: Span): Steps<void> {
  const names: string[] = changedContent(span)
    .filter(field => !isEqual(span.after[field], zone[field]))
    .map(field => fieldNames[field])
  for (const { field, after } of span.settings?.fields ?? []) {
    const name = settingNames[field]
    if (name !== undefined && !isEqual(after, zone[field] ?? null)) names.push(name)
  }
  if (span.share !== undefined && !isShareAsAfter(reader, zone, span.share))
    names.push('the share with the project')
  for (const pair of span.pairs.values()) {
    yield
    const row = pair.after ?? pair.before
    if (row === undefined || isSame(pair.before, pair.after)) continue
    if (isSame(pair.after, findRecordsetOf(reader, zone, row))) continue
    names.push(`${row.name} ${row.type}`)
    if (names.length > maxNamed) break
  }
  if (names.length === 0) return
  const named = names.length > maxNamed ? [...names.slice(0, maxNamed), '…'] : names
  throw new ApiError('conflict', `Changed again since then: ${named.join(', ')}`)
}

function isShareAsAfter(reader: StoreReader, zone: Zone, { before, after }: SharePair): boolean {
  const projectId = (after ?? before)?.targetProjectId ?? ''
  return findShare(reader, projectId, zone)?.id === after?.id
}

function isSame(one: Recordset | undefined, other: Recordset | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  const isLike = one.ttlSeconds === other.ttlSeconds && one.description === other.description
  const [records, others] = [one, other].map(each => recordsKeyOf(each.type, each.records))
  return isLike && records === others
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function draftOf({ name, type, ttlSeconds, description, records }: Recordset) {
  return { name, type, ttlSeconds, description, records }
}

function keyIn({ name, type }: Recordset) {
  return { name, type }
}

function isContent(field: string): boolean {
  return contentFields.some(content => content === field)
}

function contentOf(zone: Zone | undefined): Content {
  if (zone === undefined) return {}
  const { email, ttlSeconds, description, soaTimers } = zone
  return { email, ttlSeconds, description, soaTimers }
}
