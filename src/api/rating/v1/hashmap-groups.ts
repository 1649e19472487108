import { Type } from 'typebox'
import type { Administration } from '../../../rating/administration.ts'
import { listOf } from '../../openapi/fields.ts'
import { groupAnswer, ruleAnswers } from './answers.ts'
import type { Call, CallSpec } from './call.ts'
import { groupView, mappingView, thresholdView } from './hashmap-rules.ts'
import { moduleRule, rowCalls } from './row-calls.ts'

const base = '/module_config/hashmap/groups'

/** The groups of rules that are computed together. */
export function groupCalls(administration: Administration): readonly CallSpec[] {
  const { groups } = administration
  const calls = rowCalls({
    path: base,
    plural: 'groups',
    idName: 'group_id',
    answer: groupAnswer,
    view: groupView,
    rows: {
      get: id => groups.get(id),
      delete: (id, args) =>
        groups.delete(id, { rules: args.flag('recursive') === true ? 'delete' : 'release' }),
    },
    list: {
      summary: 'Lists the groups of rules, or shows one',
      refusals: ['not_found'],
      views: () => groups.list().map(groupView),
    },
    create: {
      summary: 'Adds a group of rules',
      names: ['name', 'group_id'],
      row: ({ args }) => groups.create(args.requiredText('name')),
    },
    remove: {
      summary: 'Deletes a group; its rules as well, or they are in none then',
      names: ['recursive'],
    },
  })
  return [...calls, ...ruleCalls(administration)]
}

/** What a group holds, with its id in the middle of the path or anywhere else. */
function ruleCalls({ groups, mappings, thresholds }: Administration): readonly CallSpec[] {
  const listed = ({ args }: Call) => ({ groupId: groups.get(args.requiredUuid('group_id')).id })
  return [
    ...listCalls('mappings', call => mappings.list(listed(call)).map(mappingView)),
    ...listCalls('thresholds', call => thresholds.list(listed(call)).map(thresholdView)),
  ]
}

function listCalls(
  name: keyof typeof ruleAnswers,
  views: (call: Call) => readonly object[],
): readonly CallSpec[] {
  return [`${base}/${name}`, `${base}/:group_id/${name}`].map(
    (path): CallSpec => ({
      method: 'GET',
      path,
      names: ['group_id'],
      rule: moduleRule,
      summary: `Lists the ${name} of a group`,
      answers: { 200: Type.Object({ [name]: listOf(ruleAnswers[name]) }) },
      refusals: ['not_found'],
      respond: call => ({ [name]: views(call) }),
    }),
  )
}
