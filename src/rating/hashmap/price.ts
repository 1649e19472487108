import { type DataPoint, describedBy, projectOf } from '../data-point.ts'
import {
  add,
  compare,
  type Decimal,
  multiply,
  one,
  parseDecimal,
  roundDecimal,
  zero,
} from '../decimal.ts'
import { getOrPut } from '../get-or-put.ts'
import type { FieldRules, LevelRule, Rule, RuleBook } from './rule-book.ts'

/** The result so far of one group's rules for one point. */
type GroupTally = {
  /** The highest flat cost that applies. */
  flat: Decimal
  /** The product of the rates that apply. */
  rate: Decimal
  threshold: { readonly rule: LevelRule; readonly isOfService: boolean } | undefined
}

type Tallies = Map<string, GroupTally>

/** Prices a point by the rules of its metric. Computed exactly and rounded once, so the order of rules does not
 *  matter; zero where no rule applies. */
export function priceByHashmap(book: RuleBook, point: DataPoint): Decimal {
  const service = book.get(point.metric)
  if (service === undefined) return zero
  const applies = rulesFor(point)
  const tallies: Tallies = new Map()
  takeMappings(tallies, applies(service.mappings))
  takeThresholds(tallies, applies(service.thresholds), { value: point.qty, isOfService: true })
  for (const field of service.fields) {
    const value = describedBy(point, field.name)
    if (value === undefined) continue
    takeMappings(tallies, applies(field.mappingsByValue.get(value) ?? []))
    takeFieldThresholds(tallies, applies(field.thresholds), value)
  }
  let price = zero
  for (const tally of tallies.values()) price = add(price, groupPrice(tally, point.qty))
  return roundDecimal(price)
}

/** Keeps the rules that apply to a point: those valid when its period begins, where rules of its project replace those
 *  for all projects with the same group and condition. */
function rulesFor(point: DataPoint): <R extends Rule>(rules: readonly R[]) => readonly R[] {
  const tenantId = projectOf(point)
  return rules => {
    const valid = rules.filter(rule => rule.start <= point.begin && point.begin < rule.end)
    const own = valid.filter(rule => rule.tenantId === tenantId)
    const isReplaced = (rule: Rule) =>
      own.some(({ groupId, condition }) => groupId === rule.groupId && condition === rule.condition)
    const global = valid.filter(rule => rule.tenantId === null && !isReplaced(rule))
    return [...own, ...global]
  }
}

function takeMappings(tallies: Tallies, rules: readonly Rule[]): void {
  for (const rule of rules) {
    const tally = tallyOf(tallies, rule.groupId)
    if (rule.type === 'rate') tally.rate = multiply(tally.rate, rule.cost)
    else if (compare(rule.cost, tally.flat) > 0) tally.flat = rule.cost
  }
}

function takeFieldThresholds(
  tallies: Tallies,
  rules: FieldRules['thresholds'],
  text: string,
): void {
  if (rules.length === 0) return
  const value = parseDecimal(text)
  // An attribute that is not a number reaches no level.
  if ('refusal' in value) return
  takeThresholds(tallies, rules, { value, isOfService: false })
}

/** Of the levels reached in a group, the highest counts. Levels below zero never count. */
function takeThresholds(
  tallies: Tallies,
  rules: readonly LevelRule[],
  { value, isOfService }: { readonly value: Decimal; readonly isOfService: boolean },
): void {
  for (const rule of rules) {
    if (compare(value, rule.level) < 0 || rule.level.coefficient < 0n) continue
    const tally = tallyOf(tallies, rule.groupId)
    const best = tally.threshold?.rule.level
    if (best === undefined || compare(rule.level, best) > 0) tally.threshold = { rule, isOfService }
  }
}

function groupPrice({ flat, rate, threshold }: GroupTally, qty: Decimal): Decimal {
  if (threshold === undefined) return multiply(multiply(rate, flat), qty)
  const { type, cost } = threshold.rule
  if (threshold.isOfService) {
    const price = multiply(multiply(rate, flat), qty)
    // A flat threshold of a service is charged once, not per unit.
    return type === 'flat' ? add(price, cost) : multiply(price, cost)
  }
  return type === 'flat'
    ? multiply(multiply(rate, add(flat, cost)), qty)
    : multiply(multiply(multiply(rate, cost), flat), qty)
}

function tallyOf(tallies: Tallies, groupId: string): GroupTally {
  return getOrPut(tallies, groupId, () => ({ flat: zero, rate: one, threshold: undefined }))
}
