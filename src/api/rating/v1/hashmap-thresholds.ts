import type { HashmapRules } from '../../../rating/hashmap/rules.ts'
import type { CallSpec } from './call.ts'
import { thresholdView } from './hashmap.view.ts'
import { ruleCalls } from './hashmap-rules.ts'

/** What changes from a quantity on. */
export function thresholdCalls(thresholds: HashmapRules<'hashmapThresholds'>): readonly CallSpec[] {
  return ruleCalls(thresholds, {
    path: '/module_config/hashmap/thresholds',
    plural: 'thresholds',
    idName: 'threshold_id',
    slotName: 'level',
    view: thresholdView,
    draft: (common, args) => ({ ...common, level: args.requiredAmount('level') }),
    changes: (common, args) => ({ ...common, level: args.amount('level') }),
  })
}
