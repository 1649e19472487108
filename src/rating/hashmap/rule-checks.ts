import { ApiError } from '../../errors.ts'
import type { HashmapMapping, HashmapThreshold } from '../../model/rating.ts'
import type { StoreReader } from '../../store/store.ts'
import { digitsBeforePoint, formatDecimal, parseDecimal, roundToPlaces } from '../decimal.ts'

type AnyRule = HashmapMapping | HashmapThreshold

/** Digits that rules' amounts have, as the columns of existing rating systems have: what is copied from here to there is
 *  not rounded on the way. */
const amountDigits = {
  cost: { beforePoint: 12, behindPoint: 28 },
  level: { beforePoint: 12, behindPoint: 8 },
} as const

/** Reads a cost or a level, as text without a needless digit. Clients that compute it in floats send digits that mean
 *  nothing (2.8499999999999996), so what does not fit behind the point is rounded, ties to even.
 *  @throws ApiError bad_request it is no number, not finite, or too long */
export function amountText(name: keyof typeof amountDigits, text: string): string {
  const given = parseDecimal(text)
  if ('refusal' in given) return refuseAmount(name, text, given.refusal)
  const { beforePoint, behindPoint } = amountDigits[name]
  const amount = roundToPlaces(given, behindPoint)
  if (digitsBeforePoint(amount) > beforePoint)
    refuseAmount(name, text, `expected at most ${beforePoint} digits before the point`)
  return formatDecimal(amount)
}

function refuseAmount(name: string, text: string, reason: string): never {
  const shown = text.length > 64 ? `${text.slice(0, 64)}…` : text
  throw new ApiError(
    'bad_request',
    `Invalid input for field/attribute ${name}. Value: '${shown}'. ${reason}.`,
  )
}

/** A rule belongs to a service or to a field.
 *  @throws ApiError bad_request */
export function requireOneParent({ serviceId, fieldId }: AnyRule): void {
  if (serviceId !== null && fieldId !== null) refuse('You can only specify one parent.')
  if (serviceId === null && fieldId === null) refuse('You must specify one parent.')
}

/** A field's mapping is for a value of the field, a service's for all of the service.
 *  @throws ApiError bad_request */
export function requireValueOfField({ serviceId, value }: HashmapMapping): void {
  if (serviceId !== null && value !== null) refuse(`You can't specify a value and a service_id.`)
  if (serviceId === null && (value === null || value === ''))
    refuse('You must specify a value for a field mapping.')
}

/** What a rule names is there, and it ends after it starts.
 *  @throws ApiError bad_request */
export function requireSoundReferences(reader: StoreReader, rule: AnyRule): void {
  const { serviceId, fieldId, groupId, start, end } = rule
  if (serviceId !== null && reader.get('hashmapServices', serviceId) === undefined)
    refuse(`No such service: None (UUID: ${serviceId})`)
  if (fieldId !== null && reader.get('hashmapFields', fieldId) === undefined)
    refuse(`No such field: ${fieldId}`)
  if (groupId !== null && reader.get('hashmapGroups', groupId) === undefined)
    refuse(`No such group: ${groupId}`)
  if (start !== null && end !== null && end <= start)
    refuse('The end of a rule must be after its start.')
}

/** Two rules for the same thing at the same time, in one group and for the same projects, would leave the choice to
 *  chance.
 *  @throws ApiError conflict */
export function requireDistinct<R extends AnyRule>(
  rule: R,
  siblings: Iterable<R>,
  {
    kind,
    conditionOf,
  }: { readonly kind: string; readonly conditionOf: (rule: R) => string | null },
): void {
  for (const other of siblings) {
    if (other.id === rule.id || conditionOf(other) !== conditionOf(rule)) continue
    if (other.groupId !== rule.groupId || other.tenantId !== rule.tenantId) continue
    if (!overlap(other, rule)) continue
    const parent = rule.fieldId === null ? `service '${rule.serviceId}'` : `field '${rule.fieldId}'`
    throw new ApiError(
      'conflict',
      `${kind} '${conditionOf(rule) ?? 'None'}' already exists for ${parent}, tenant: '${rule.tenantId ?? 'None'}'`,
    )
  }
}

function overlap(a: AnyRule, b: AnyRule): boolean {
  const isBefore = (first: AnyRule, second: AnyRule) =>
    first.end !== null && second.start !== null && first.end <= second.start
  return !isBefore(a, b) && !isBefore(b, a)
}

function refuse(message: string): never {
  throw new ApiError('bad_request', message)
}
