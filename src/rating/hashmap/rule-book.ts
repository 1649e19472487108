import type {
  HashmapField,
  HashmapMapping,
  HashmapRuleType,
  HashmapService,
  HashmapThreshold,
  Instant,
} from '../../model/rating.ts'
import { type Decimal, formatDecimal, getDecimal } from '../decimal.ts'

/** The types of rules, as clients list them. */
export const ruleTypes: readonly HashmapRuleType[] = ['flat', 'rate']

/** The rows that the hashmap prices by. Of groups only the ids matter. */
type HashmapRows = {
  readonly services: Iterable<HashmapService>
  readonly fields: Iterable<HashmapField>
  readonly mappings: Iterable<HashmapMapping>
  readonly thresholds: Iterable<HashmapThreshold>
}

/** The rows in a form ready for pricing, by metric. Built once before a series of periods is rated. */
export type RuleBook = ReadonlyMap<string, ServiceRules>

type ServiceRules = {
  readonly mappings: readonly Rule[]
  readonly thresholds: readonly LevelRule[]
  /** In order of name, so that ties between fields are always resolved the same way. */
  readonly fields: readonly FieldRules[]
}

export type FieldRules = {
  readonly name: string
  readonly mappingsByValue: ReadonlyMap<string, readonly Rule[]>
  readonly thresholds: readonly LevelRule[]
}

export type Rule = {
  readonly groupId: string
  readonly tenantId: string | null
  readonly type: HashmapRuleType
  readonly cost: Decimal
  readonly start: Instant
  readonly end: Instant
  /** Of rules with the same group and condition, a tenant's own replaces the global one. */
  readonly condition: string
}

export type LevelRule = Rule & { readonly level: Decimal }

/** The group of rules without a group. */
const defaultGroupId = '_DEFAULT_'

/** Compiles rows; rules without an existing parent have no effect. */
export function compileRuleBook(rows: HashmapRows): RuleBook {
  const mappingsByParent = Map.groupBy(rows.mappings, parentOf)
  const thresholdsByParent = Map.groupBy(rows.thresholds, parentOf)
  const fieldsByService = Map.groupBy(rows.fields, field => field.serviceId)
  const fieldRules = (field: HashmapField): FieldRules => ({
    name: field.name,
    mappingsByValue: Map.groupBy(
      (mappingsByParent.get(field.id) ?? []).map(mappingRule),
      rule => rule.condition,
    ),
    thresholds: (thresholdsByParent.get(field.id) ?? []).map(thresholdRule),
  })
  const book = new Map<string, ServiceRules>()
  for (const service of rows.services) {
    const fields = fieldsByService.get(service.id) ?? []
    book.set(service.name, {
      mappings: (mappingsByParent.get(service.id) ?? []).map(mappingRule),
      thresholds: (thresholdsByParent.get(service.id) ?? []).map(thresholdRule),
      fields: fields.map(fieldRules).sort((a, b) => (a.name < b.name ? -1 : 1)),
    })
  }
  return book
}

type AnyRule = HashmapMapping | HashmapThreshold

function parentOf(rule: AnyRule): string | null {
  return rule.serviceId ?? rule.fieldId
}

function mappingRule(row: HashmapMapping): Rule {
  return { ...ruleOf(row), condition: row.value ?? '' }
}

function thresholdRule(row: HashmapThreshold): LevelRule {
  const level = getDecimal(row.level)
  return { ...ruleOf(row), level, condition: formatDecimal(level) }
}

function ruleOf(row: AnyRule): Omit<Rule, 'condition'> {
  return {
    groupId: row.groupId ?? defaultGroupId,
    tenantId: row.tenantId,
    type: row.type,
    cost: getDecimal(row.cost),
    start: row.start ?? Number.NEGATIVE_INFINITY,
    end: row.end ?? Number.POSITIVE_INFINITY,
  }
}
