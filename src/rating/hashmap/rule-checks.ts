import { ApiError } from '../../errors.ts'
import type { HashmapMapping, HashmapThreshold } from '../../model/rating.ts'
import type { StoreReader } from '../../store/store.ts'
import { digitsBeforePoint, formatDecimal, parseDecimal, roundToPlaces } from '../decimal.ts'
import { noSuchRow } from '../named-rows.ts'

type AnyRule = HashmapMapping | HashmapThreshold

/** The digits of amounts in rules, the same as in the columns of existing rating systems: amounts that are copied from here
 *  to there are not rounded. */
const amountDigits = {
  cost: { beforePoint: 12, behindPoint: 28 },
  level: { beforePoint: 12, behindPoint: 8 },
} as const

/** Reads a cost or a level and returns it as text without superfluous digits. Clients that compute it in floats send
 *  meaningless digits (2.8499999999999996), so digits that do not fit after the point are rounded, ties to even.
 *  @throws ApiError bad_request it is not a number, not finite, or too long */
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

/** Refuses a rule that makes no sense, or not beside its siblings: the rules of the same parent.
 *  @throws ApiError bad_request; conflict */
export function requireSoundRule<R extends AnyRule>(
  reader: StoreReader,
  rule: R,
  siblings: Iterable<R>,
): void {
  requireOneParent(rule)
  if ('value' in rule) requireValueOfField(rule)
  requireDistinct(rule, siblings)
  requireSoundReferences(reader, rule)
}

function requireOneParent({ serviceId, fieldId }: AnyRule): void {
  if (serviceId !== null && fieldId !== null) refuse('You can only specify one parent.')
  if (serviceId === null && fieldId === null) refuse('You must specify one parent.')
}

/** Requires a value in the mapping of a field, and none in that of a service, which is for the whole service. */
function requireValueOfField({ serviceId, value }: HashmapMapping): void {
  if (serviceId !== null && value !== null) refuse(`You can't specify a value and a service_id.`)
  if (serviceId === null && (value === null || value === ''))
    refuse('You must specify a value for a field mapping.')
}

/** Requires that the rows a rule refers to exist, and that it ends after it starts. */
function requireSoundReferences(reader: StoreReader, rule: AnyRule): void {
  const { serviceId, fieldId, groupId, start, end } = rule
  for (const [collection, id] of [
    ['hashmapServices', serviceId],
    ['hashmapFields', fieldId],
    ['hashmapGroups', groupId],
  ] as const)
    if (id !== null && reader.get(collection, id) === undefined) refuse(noSuchRow(collection, id))
  if (start !== null && end !== null && end <= start)
    refuse('The end of a rule must be after its start.')
}

/** Refuses two rules for the same thing at the same time, in one group and for the same projects: the choice between them
 *  would be left to chance. */
function requireDistinct(rule: AnyRule, siblings: Iterable<AnyRule>): void {
  for (const other of siblings) {
    if (other.id === rule.id || conditionOf(other) !== conditionOf(rule)) continue
    if (other.groupId !== rule.groupId || other.tenantId !== rule.tenantId) continue
    if (!overlap(other, rule)) continue
    const kind = 'value' in rule ? 'Mapping' : 'Threshold'
    const parent = rule.fieldId === null ? `service '${rule.serviceId}'` : `field '${rule.fieldId}'`
    throw new ApiError(
      'conflict',
      `${kind} '${conditionOf(rule) ?? 'None'}' already exists for ${parent}, tenant: '${rule.tenantId ?? 'None'}'`,
    )
  }
}

/** Levels are compared as text: equal levels always have the same text. */
function conditionOf(rule: AnyRule): string | null {
  return 'value' in rule ? rule.value : rule.level
}

function overlap(a: AnyRule, b: AnyRule): boolean {
  const isBefore = (first: AnyRule, second: AnyRule) =>
    first.end !== null && second.start !== null && first.end <= second.start
  return !isBefore(a, b) && !isBefore(b, a)
}

function refuse(message: string): never {
  throw new ApiError('bad_request', message)
}
