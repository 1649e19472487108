import { Type } from 'typebox'
import type { Administration } from '../../../rating/administration.ts'
import { listOf } from '../../openapi/fields.ts'
import { groupAnswer, ruleAnswers } from './answers.ts'
import type { Call, CallSpec } from './call.ts'
import { groupView, mappingView, thresholdView } from './hashmap.view.ts'
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
    get: id => groups.get(id),
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
      run: (id, args) =>
        groups.delete(id, { rules: args.flag('recursive') === true ? 'delete' : 'release' }),
    },
  })
  return [...calls, ...ruleCalls(administration)]
}

/** What a group holds, with its id in the middle of the path or anywhere else. */
function ruleCalls({ groups, mappings, thresholds }: Administration): readonly CallSpec[] {
  const groupIdOf = ({ args }: Call) => groups.get(args.requiredUuid('group_id')).id
  const lists = [
    {
      name: 'mappings',
      summary: 'Lists the mappings of a group',
      answers: { 200: Type.Object({ mappings: listOf(ruleAnswers.mappings) }) },
      refusals: ['not_found'] as const,
      respond(call: Call) {
        const list = mappings.list({ groupId: groupIdOf(call) })
        return { mappings: list.map(mappingView) }
      },
    },
    {
      name: 'thresholds',
      summary: 'Lists the thresholds of a group',
      answers: { 200: Type.Object({ thresholds: listOf(ruleAnswers.thresholds) }) },
      refusals: ['not_found'] as const,
      respond(call: Call) {
        const list = thresholds.list({ groupId: groupIdOf(call) })
        return { thresholds: list.map(thresholdView) }
      },
    },
  ]
  return lists.flatMap(({ name, ...rest }) =>
    [`${base}/${name}`, `${base}/:group_id/${name}`].map(
      (path): CallSpec => ({ method: 'GET', path, names: ['group_id'], rule: moduleRule, ...rest }),
    ),
  )
}
