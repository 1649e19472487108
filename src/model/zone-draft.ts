import type { FieldError } from '../errors.ts'
import { catalogAttribute, catalogErrors, catalogMemberErrors } from './catalog.ts'
import type { Changes } from './changes.ts'
import { emailError } from './email.ts'
import { immutableError, notAllowed, required } from './field-rules.ts'
import { maxAttributes } from './limits.ts'
import { masterErrors } from './masters.ts'
import { transferAttributeErrors } from './transfer-peers.ts'
import type { Zone } from './zone.ts'
import { zoneNameError } from './zone-name.ts'

/** The fields of a new zone; without a TTL a PRIMARY has the default. The schemas have already checked lengths and ranges
 *  (limits.ts). */
export type ZoneDraft = Pick<
  Zone,
  'name' | 'type' | 'email' | 'ttlSeconds' | 'description' | 'masters' | 'attributes'
>

/** Changes of a zone; an undefined field stays as it is. Name and type may be sent, but not changed. */
export type ZonePatch = Changes<Omit<ZoneDraft, 'attributes'>> & {
  /** The attributes to change; null removes one. */
  readonly attributes?: Readonly<Record<string, string | null>> | undefined
}

/** Checks a new zone's fields, individually and together. */
export function zoneDraftErrors(draft: ZoneDraft): (FieldError | undefined)[] {
  return [
    zoneNameError(draft.name),
    ...zoneFieldErrors(draft),
    ...transferAttributeErrors(draft.attributes),
    ...catalogErrors(draft),
    ...catalogMemberErrors(draft.attributes),
  ]
}

/** Checks the fields that differ between PRIMARY and SECONDARY, of a new zone or of one as it would be after a change. */
export function zoneFieldErrors(
  zone: Pick<ZoneDraft, 'type' | 'email' | 'ttlSeconds' | 'masters'>,
): (FieldError | undefined)[] {
  return zone.type === 'PRIMARY' ? primaryErrors(zone) : secondaryErrors(zone)
}

/** The attributes that cannot be changed: they determine where a zone is served, and its role. */
const fixedAttributes = ['pool_id', catalogAttribute]

/** The attributes of a zone as a change leaves them. */
export function changedAttributes(
  { attributes }: Pick<Zone, 'attributes'>,
  patch: ZonePatch,
): Zone['attributes'] {
  const changed = Object.entries({ ...attributes, ...patch.attributes })
  return Object.fromEntries(changed.filter((entry): entry is [string, string] => entry[1] !== null))
}

/** Checks that a change keeps the fields that are set once, and checks the resulting attributes. */
export function zonePatchErrors(zone: Zone, patch: ZonePatch): (FieldError | undefined)[] {
  const attributes = changedAttributes(zone, patch)
  return [
    immutableError('name', {
      sent: patch.name?.toLowerCase(),
      stored: zone.name.toLowerCase(),
    }),
    immutableError('type', { sent: patch.type, stored: zone.type }),
    ...fixedAttributes.map(name =>
      immutableError('attributes', {
        sent: attributes[name] ?? null,
        stored: zone.attributes[name] ?? null,
      }),
    ),
    Object.keys(attributes).length <= maxAttributes
      ? undefined
      : notAllowed('attributes', `are more than ${maxAttributes}`),
    ...transferAttributeErrors(attributes),
    ...catalogMemberErrors(attributes),
  ]
}

function primaryErrors({ email, masters }: Pick<ZoneDraft, 'email' | 'masters'>) {
  return [
    email === null ? required('email') : emailError(email),
    masters.length === 0 ? undefined : notAllowed('masters', 'are for SECONDARY zones only'),
  ]
}

// All data of a SECONDARY zone comes from its masters; without masters it has none yet.
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
