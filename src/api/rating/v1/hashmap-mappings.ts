import type { HashmapRules } from '../../../rating/hashmap/rules.ts'
import type { CallSpec } from './call.ts'
import { mappingView } from './hashmap.view.ts'
import { ruleCalls } from './hashmap-rules.ts'

/** What services, or values of their fields, cost. */
export function mappingCalls(mappings: HashmapRules<'hashmapMappings'>): readonly CallSpec[] {
  return ruleCalls(mappings, {
    path: '/module_config/hashmap/mappings',
    plural: 'mappings',
    idName: 'mapping_id',
    slotName: 'value',
    view: mappingView,
    draft: (common, args) => ({ ...common, value: args.textOrNull('value') ?? null }),
    changes: (common, args) => ({ ...common, value: args.textOrNull('value') }),
  })
}
