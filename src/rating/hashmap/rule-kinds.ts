import { requireDistinct, requireValueOfField } from './rule-checks.ts'
import type { RuleKind } from './rules.ts'

export const mappingKind: RuleKind<'hashmapMappings'> = {
  collection: 'hashmapMappings',
  name: 'Mapping',
  newRow: (stamps, draft) => ({ ...draft, ...stamps }),
  check(rule, siblings) {
    requireValueOfField(rule)
    requireDistinct(rule, siblings, { kind: 'Mapping', conditionOf: ({ value }) => value })
  },
}

/** Levels are compared as text: equal levels always have the same text. */
export const thresholdKind: RuleKind<'hashmapThresholds'> = {
  collection: 'hashmapThresholds',
  name: 'Threshold',
  newRow: (stamps, draft) => ({ ...draft, ...stamps }),
  check(rule, siblings) {
    requireDistinct(rule, siblings, { kind: 'Threshold', conditionOf: ({ level }) => level })
  },
}
