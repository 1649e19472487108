import type {
  HashmapField,
  HashmapGroup,
  HashmapMapping,
  HashmapService,
  HashmapThreshold,
} from '../../src/model/rating.ts'
import type { DataPoint } from '../../src/rating/data-point.ts'
import { getDecimal, zero } from '../../src/rating/decimal.ts'

type RuleInput = {
  readonly service?: string
  readonly field?: string
  readonly group?: string
  readonly tenant?: string
  readonly type?: 'flat' | 'rate'
  readonly start?: number
  readonly end?: number
}

/** Rows of a hashmap in the shortest notation for tests; names serve as ids. A field is `service/field`. */
export function hashmapRows(input: {
  readonly mappings?: readonly (RuleInput & { readonly value?: string; readonly cost: string })[]
  readonly thresholds?: readonly (RuleInput & { readonly level: string; readonly cost: string })[]
}) {
  const rules = [...(input.mappings ?? []), ...(input.thresholds ?? [])]
  const fieldIds = new Set(rules.flatMap(rule => rule.field ?? []))
  const serviceNames = new Set([
    ...rules.flatMap(rule => rule.service ?? []),
    ...[...fieldIds].map(id => id.split('/')[0]!),
  ])
  return {
    services: [...serviceNames].map((name): HashmapService => ({ ...stamped(name), name })),
    fields: [...fieldIds].map((id): HashmapField => {
      const [serviceId, name] = id.split('/') as [string, string]
      return { ...stamped(id), serviceId, name }
    }),
    groups: [] as HashmapGroup[],
    mappings: (input.mappings ?? []).map(
      (rule, i): HashmapMapping => ({
        ...ruleRow(rule, `mapping-${i}`),
        value: rule.value ?? null,
        cost: rule.cost,
      }),
    ),
    thresholds: (input.thresholds ?? []).map(
      (rule, i): HashmapThreshold => ({
        ...ruleRow(rule, `threshold-${i}`),
        level: rule.level,
        cost: rule.cost,
      }),
    ),
  }
}

/** A point of one hour; fields that a test does not set get defaults. */
export function pointOf(
  input: Partial<Omit<DataPoint, 'qty'>> & { readonly qty?: string } = {},
): DataPoint {
  return {
    metric: 'storage',
    begin: 0,
    end: 3600,
    unit: 'GiB',
    price: zero,
    groupby: { project_id: 'p1' },
    metadata: {},
    ...input,
    qty: getDecimal(input.qty ?? '1'),
  }
}

function stamped(id: string) {
  return { id, version: 1, createdAt: 0, updatedAt: null }
}

function ruleRow(rule: RuleInput, id: string) {
  return {
    ...stamped(id),
    serviceId: rule.service ?? null,
    fieldId: rule.field ?? null,
    groupId: rule.group ?? null,
    tenantId: rule.tenant ?? null,
    type: rule.type ?? 'flat',
    name: null,
    description: null,
    start: rule.start ?? null,
    end: rule.end ?? null,
    createdBy: null,
    updatedBy: null,
  }
}
