import { ApiError } from '../../../errors.ts'
import type { Collections } from '../../../model/collections.ts'
import type {
  HashmapGroup,
  HashmapMapping,
  HashmapThreshold,
  Instant,
} from '../../../model/rating.ts'
import { ruleTypes } from '../../../rating/hashmap/rule-book.ts'
import type {
  HashmapRules,
  RuleChanges,
  RuleCollection,
  RuleDraft,
  RuleFilter,
} from '../../../rating/hashmap/rules.ts'
import { formatNaive } from '../../../rating/timestamp.ts'
import { groupAnswer, ruleAnswers } from './answers.ts'
import type { Arguments } from './arguments.ts'
import { type Call, type CallSpec, sentBack } from './call.ts'
import { moduleRule, rowCalls } from './row-calls.ts'

/** What clients send back because they were shown it. */
export const echoedNames = ['created_at', 'created_by', 'updated_by', 'deleted', 'deleted_by']

/** What mappings and thresholds are called with, beside what is particular to them. */
const ruleNames = [
  'type',
  'cost',
  'service_id',
  'field_id',
  'group_id',
  'tenant_id',
  'name',
  'description',
  'start',
  'end',
  'force',
  ...echoedNames,
]

/** What lists of them are filtered by. */
const filterNames = ['service_id', 'field_id', 'group_id', 'no_group', 'tenant_id', 'filter_tenant']

type CommonDraft = Omit<RuleDraft<'hashmapMappings'>, 'value'>
type CommonChanges = Omit<RuleChanges<'hashmapMappings'>, 'value'>

/** What is particular to mappings or to thresholds. */
type RuleCallKind<C extends RuleCollection> = {
  readonly noun: 'mapping' | 'threshold'
  /** The argument that says what the rule is for. */
  readonly slotName: string
  readonly view: (rule: Collections[C]) => object
  readonly draft: (common: CommonDraft, args: Arguments) => RuleDraft<C>
  readonly changes: (common: CommonChanges, args: Arguments) => RuleChanges<C>
}

/** What can be called of mappings and of thresholds alike. */
function ruleCalls<C extends RuleCollection>(
  rules: HashmapRules<C>,
  kind: RuleCallKind<C>,
): readonly CallSpec[] {
  const { noun, slotName, view } = kind
  const plural = `${noun}s` as const
  const path = `/module_config/hashmap/${plural}`
  const idName = `${noun}_id`
  const rule = moduleRule
  const calls = rowCalls<Collections[C]>({
    path,
    plural,
    idName,
    answer: ruleAnswers[plural],
    view,
    rows: rules,
    list: {
      summary: `Lists ${plural}, or shows one`,
      names: filterNames,
      refusals: ['not_found', 'bad_request'],
      views: args => rules.list(filterFrom(args)).map(view),
    },
    create: {
      summary: `Adds one of the ${plural}`,
      names: [idName, slotName, ...ruleNames],
      row({ args, caller }) {
        const draft = kind.draft(commonDraft(args), args)
        return rules.create(draft, { by: caller.userId })
      },
    },
    remove: { summary: `Deletes one of the ${plural}` },
  })
  return [
    ...calls,
    {
      method: 'PUT',
      path,
      inPath: idName,
      names: [idName, slotName, ...ruleNames],
      rule,
      summary: `Changes one of the ${plural}`,
      answers: { 302: null },
      refusals: ['bad_request', 'not_found', 'conflict'],
      async handler({ args, caller, url }) {
        const before = rules.get(args.requiredUuid(idName))
        requireSameParent(args, before)
        const changes = kind.changes(commonChanges(args), args)
        await rules.update(before.id, changes, { by: caller.userId })
        return sentBack(url)
      },
    },
    ...[`${path}/group`, `${path}/:${idName}/group`].map(
      (groupPath): CallSpec => ({
        method: 'GET',
        path: groupPath,
        names: [idName],
        rule,
        summary: `Shows the group that one of the ${plural} is in`,
        answers: { 200: groupAnswer },
        refusals: ['not_found'],
        respond: ({ args }: Call) => groupView(rules.groupOf(args.requiredUuid(idName))),
      }),
    ),
  ]
}

/** A tenant counts only where it is said that it does: clients send one for rules of no tenant too. */
function filterFrom(args: Arguments): RuleFilter {
  return {
    serviceId: args.uuid('service_id'),
    fieldId: args.uuid('field_id'),
    groupId: args.flag('no_group') === true ? null : args.uuid('group_id'),
    tenantId: args.flag('filter_tenant') === true ? (args.text('tenant_id') ?? null) : undefined,
  }
}

function commonDraft(args: Arguments): CommonDraft {
  return {
    serviceId: args.uuid('service_id') ?? null,
    fieldId: args.uuid('field_id') ?? null,
    groupId: args.uuid('group_id') ?? null,
    tenantId: args.text('tenant_id') ?? null,
    type: args.choice('type', ruleTypes) ?? 'flat',
    cost: args.requiredAmount('cost'),
    name: args.text('name') ?? null,
    description: args.text('description') ?? null,
    start: args.instant('start') ?? null,
    end: args.instant('end') ?? null,
  }
}

/** What is not given stays as it is; a null takes the rule out of its group, and makes it everybody's. */
function commonChanges(args: Arguments): CommonChanges {
  return {
    groupId: args.uuidOrNull('group_id'),
    tenantId: args.textOrNull('tenant_id'),
    type: args.choice('type', ruleTypes),
    cost: args.requiredAmount('cost'),
    name: args.textOrNull('name'),
    description: args.textOrNull('description'),
    start: args.instantOrNull('start'),
    end: args.instantOrNull('end'),
  }
}

function requireSameParent(
  args: Arguments,
  { serviceId, fieldId }: Collections[RuleCollection],
): void {
  const asked = [args.uuidOrNull('service_id'), args.uuidOrNull('field_id')]
  const isSame = [serviceId, fieldId].every((id, i) => asked[i] === undefined || asked[i] === id)
  if (!isSame) throw new ApiError('bad_request', `You can't change the parent of a rule.`)
}

/** What services, or values of their fields, cost. */
export function mappingCalls(mappings: HashmapRules<'hashmapMappings'>): readonly CallSpec[] {
  return ruleCalls(mappings, {
    noun: 'mapping',
    slotName: 'value',
    view: mappingView,
    draft: (common, args) => ({ ...common, value: args.textOrNull('value') ?? null }),
    changes: (common, args) => ({ ...common, value: args.textOrNull('value') }),
  })
}

/** What changes from a quantity on. */
export function thresholdCalls(thresholds: HashmapRules<'hashmapThresholds'>): readonly CallSpec[] {
  return ruleCalls(thresholds, {
    noun: 'threshold',
    slotName: 'level',
    view: thresholdView,
    draft: (common, args) => ({ ...common, level: args.requiredAmount('level') }),
    changes: (common, args) => ({ ...common, level: args.amount('level') }),
  })
}

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
