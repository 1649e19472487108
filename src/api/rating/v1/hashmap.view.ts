import type {
  HashmapGroup,
  HashmapMapping,
  HashmapThreshold,
  Instant,
} from '../../../model/rating.ts'
import { formatNaive } from '../../../rating/timestamp.ts'

/** A group as clients see it. */
export function groupView({ id, name }: HashmapGroup) {
  return { group_id: id, name }
}

/** A mapping as clients see it. Its amounts are text, which holds them exactly. */
export function mappingView(mapping: HashmapMapping) {
  return { mapping_id: mapping.id, value: mapping.value, ...ruleView(mapping) }
}

/** A threshold as clients see it. */
export function thresholdView(threshold: HashmapThreshold) {
  return { threshold_id: threshold.id, level: threshold.level, ...ruleView(threshold) }
}

function ruleView(rule: HashmapMapping | HashmapThreshold) {
  return {
    type: rule.type,
    cost: rule.cost,
    service_id: rule.serviceId,
    field_id: rule.fieldId,
    group_id: rule.groupId,
    tenant_id: rule.tenantId,
    name: rule.name,
    description: rule.description,
    start: naiveOrNull(rule.start),
    end: naiveOrNull(rule.end),
    created_at: formatNaive(Math.floor(rule.createdAt / 1e6)),
    created_by: rule.createdBy,
    updated_by: rule.updatedBy,
  }
}

function naiveOrNull(instant: Instant | null): string | null {
  return instant === null ? null : formatNaive(instant)
}
