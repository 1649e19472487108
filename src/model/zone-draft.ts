import type { FieldError } from '../errors.ts'
import { catalogErrors, catalogMemberErrors } from './catalog.ts'
import { emailError } from './email.ts'
import { immutableError, notAllowed, required } from './field-rules.ts'
import { masterErrors } from './masters.ts'
import { changeableAttributes, transferAttributeErrors } from './transfer-peers.ts'
import type { Zone, ZoneType } from './zone.ts'
import { zoneNameError } from './zone-name.ts'

/** What is said of a new zone. Lengths and ranges are already as the schemas demand (limits.ts). */
export type ZoneDraft = {
  readonly name: string
  readonly type: ZoneType
  readonly email: string | null
  /** Null: the default of a PRIMARY zone. */
  readonly ttlSeconds: number | null
  readonly description: string | null
  readonly masters: readonly string[]
  readonly attributes: Readonly<Record<string, string>>
}

/** What is to change of a zone; undefined leaves as it is. The last three may be sent, but not changed. */
export type ZonePatch = {
  readonly email?: string | null | undefined
  readonly ttlSeconds?: number | null | undefined
  readonly description?: string | null | undefined
  readonly masters?: readonly string[] | undefined
  readonly name?: string | undefined
  readonly type?: ZoneType | undefined
  readonly attributes?: Readonly<Record<string, string>> | undefined
}

/** Checks a new zone's fields, each and together. */
export function zoneDraftErrors(draft: ZoneDraft): (FieldError | undefined)[] {
  return [
    zoneNameError(draft.name),
    ...zoneFieldErrors(draft),
    ...transferAttributeErrors(draft.attributes),
    ...catalogErrors(draft),
    ...catalogMemberErrors(draft.attributes),
  ]
}

/** Checks the fields that differ between PRIMARY and SECONDARY; also of a zone as it would be after a change. */
export function zoneFieldErrors(
  zone: Pick<ZoneDraft, 'type' | 'email' | 'ttlSeconds' | 'masters'>,
): (FieldError | undefined)[] {
  return zone.type === 'PRIMARY' ? primaryErrors(zone) : secondaryErrors(zone)
}

/** Checks that a change leaves alone what is set once: of the attributes, all but those of transfers. */
export function zonePatchErrors(zone: Zone, patch: ZonePatch): (FieldError | undefined)[] {
  return [
    immutableError('name', {
      sent: patch.name?.toLowerCase(),
      stored: zone.name.toLowerCase(),
    }),
    immutableError('type', { sent: patch.type, stored: zone.type }),
    immutableError('attributes', {
      sent: patch.attributes && sentAttributes(patch.attributes),
      stored: canonical(zone.attributes),
    }),
    ...transferAttributeErrors(patch.attributes ?? {}),
    ...catalogMemberErrors(patch.attributes ?? {}),
  ]
}

function primaryErrors({ email, masters }: Pick<ZoneDraft, 'email' | 'masters'>) {
  return [
    email === null ? required('email') : emailError(email),
    masters.length === 0 ? undefined : notAllowed('masters', 'are for SECONDARY zones only'),
  ]
}

// All that a SECONDARY zone says comes from its masters; without them there is nothing yet.
function secondaryErrors({
  email,
  ttlSeconds,
  masters,
}: Pick<ZoneDraft, 'email' | 'ttlSeconds' | 'masters'>) {
  return [
    email === null ? undefined : notAllowed('email', 'of a SECONDARY zone is its master’s'),
    ttlSeconds === null ? undefined : notAllowed('ttl', 'of a SECONDARY zone is its master’s'),
    ...masterErrors(masters),
  ]
}

/** Who sends no more than what can be changed leaves the others as they are. */
function sentAttributes(attributes: Readonly<Record<string, string>>): string | undefined {
  const names = Object.keys(attributes)
  const isRest = names.length > 0 && names.every(name => changeableAttributes.includes(name))
  return isRest ? undefined : canonical(attributes)
}

function canonical(attributes: Readonly<Record<string, string>>): string {
  const fixed = Object.entries(attributes).filter(([name]) => !changeableAttributes.includes(name))
  return JSON.stringify(fixed.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
