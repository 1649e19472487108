import { ApiError } from '../../errors.ts'
import type { Caller } from '../../identity/caller.ts'
import { requireAllowed } from '../../identity/policy.ts'
import type { RowVersion } from '../../model/stamped.ts'
import type { Zone } from '../../model/zone.ts'
import type { ZonePatch } from '../../model/zone-draft.ts'
import type { ChangeSetOutcome } from '../changes/change-sets.ts'
import type { UpdatePolicies } from '../changes/update-policies.ts'
import type { ZoneShares } from '../zones/zone-shares.ts'
import type { Zones } from '../zones/zones.ts'
import type { ChangedField, SharePair } from './zone-entry.ts'

// Undoes a change of a zone's settings beside its content: masters, attributes, rules for updates, pool, shares. An
// undo is made in the same way as the change itself, so the same rules hold.

/** No recordset is changed. */
const nothing = { created: [], replaced: [], deleted: [] }

/** The operations that change a zone's settings. */
export type SettingsChanges = {
  readonly zones: Pick<Zones, 'update' | 'movePool'>
  readonly updatePolicies: Pick<UpdatePolicies, 'set'>
  readonly zoneShares: Pick<ZoneShares, 'create' | 'delete'>
}

/** The fields that one change has changed, content included. */
type Change = {
  readonly fields: readonly ChangedField[]
  /** The zone before it. */
  readonly before: Zone
}

/** Undoes one change of settings, and of the content changed with them, in a zone that still has both as the change
 *  left them; or only returns what the zone would be.
 *  @throws ApiError bad_request the change gave the zone to another project or made it a PRIMARY; precondition_failed the
 *  zone has changed meanwhile; forbidden, and the other errors of the change on its own */
export async function undoSettings(
  { zones, updatePolicies }: SettingsChanges,
  caller: Caller,
  parts: { readonly zone: Zone; readonly change: Change; readonly isDryRun: boolean },
): Promise<ChangeSetOutcome> {
  const { zone, change, isDryRun } = parts
  const { fields, before } = change
  const names = new Set(fields.map(({ field }) => field))
  if (names.has('type'))
    throw new ApiError('bad_request', 'A zone that was made a PRIMARY does not become a SECONDARY')
  if (names.has('projectId'))
    throw new ApiError('bad_request', 'A zone that was given to a project is not taken from it')
  if (names.has('poolId')) requireAllowed(caller, 'pool_move_zone')
  const back = Object.fromEntries([...names].map(name => [name, before[name]]))
  if (isDryRun) return { before: zone, zone: { ...zone, ...back }, ...nothing }
  const expected: readonly RowVersion[] = [zone]
  if (names.has('poolId')) {
    const moved = await zones.movePool(caller, zone.id, before.poolId, expected)
    return { before: zone, zone: moved, ...nothing }
  }
  if (names.has('updateRules')) {
    await updatePolicies.set(caller, zone.id, before.updateRules ?? [], expected)
    return { before: zone, zone, ...nothing }
  }
  const attributes = names.has('attributes') && { attributes: attributesBack(zone, before) }
  const patch: ZonePatch = { ...back, ...attributes }
  return { before: zone, zone: await zones.update(caller, zone.id, patch, expected), ...nothing }
}

/** Undoes the creation of a share, or creates a removed share again under another id; or only checks that the caller
 *  may do so.
 *  @throws ApiError as `ZoneShares` */
export async function undoShare(
  { zoneShares }: SettingsChanges,
  caller: Caller,
  parts: { readonly zone: Zone; readonly share: SharePair; readonly isDryRun: boolean },
): Promise<ChangeSetOutcome> {
  const { zone, isDryRun } = parts
  const { before, after } = parts.share
  requireAllowed(caller, after === undefined ? 'share_zone' : 'unshare_zone')
  if (!isDryRun && after !== undefined) await zoneShares.delete(caller, zone.id, after.id)
  if (!isDryRun && before !== undefined)
    await zoneShares.create(caller, zone.id, before.targetProjectId)
  return { before: zone, zone, ...nothing }
}

/** Null removes an attribute. */
function attributesBack(zone: Zone, before: Zone): Readonly<Record<string, string | null>> {
  const none = Object.keys(zone.attributes).map((name): [string, null] => [name, null])
  return { ...Object.fromEntries(none), ...before.attributes }
}
