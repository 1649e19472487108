import { Type } from 'typebox'
import type { Administration } from '../../../rating/administration.ts'
import { listOf } from '../../openapi/fields.ts'
import { groupAnswer, listOrOne, ruleAnswers } from './answers.ts'
import { type Call, type CallSpec, created } from './call.ts'
import { groupView, mappingView, thresholdView } from './hashmap.view.ts'

const base = '/module_config/hashmap/groups'
const rule = 'rating:module_config'

/** The groups of rules that are computed together. */
export function groupCalls(administration: Administration): readonly CallSpec[] {
  const { groups } = administration
  return [
    {
      method: 'GET',
      path: base,
      inPath: 'group_id',
      names: ['group_id'],
      rule,
      summary: 'Lists the groups of rules, or shows one',
      answers: { 200: listOrOne('groups', groupAnswer) },
      refusals: ['not_found'],
      respond({ args }) {
        const id = args.uuid('group_id')
        const body =
          id === undefined ? { groups: groups.list().map(groupView) } : groupView(groups.get(id))
        return body
      },
    },
    {
      method: 'POST',
      path: base,
      names: ['name', 'group_id'],
      rule,
      summary: 'Adds a group of rules',
      answers: { 201: groupAnswer },
      refusals: ['bad_request', 'conflict'],
      async handler(call) {
        const group = await groups.create(call.args.requiredText('name'))
        return created(call, { id: group.id, body: groupView(group) })
      },
    },
    {
      method: 'DELETE',
      path: base,
      inPath: 'group_id',
      names: ['group_id', 'recursive'],
      rule,
      summary: 'Deletes a group; its rules as well, or they are in none then',
      answers: { 204: null },
      refusals: ['not_found'],
      async respond({ args }) {
        const rules = args.flag('recursive') === true ? 'delete' : 'release'
        await groups.delete(args.requiredUuid('group_id'), { rules })
      },
    },
    ...ruleCalls(administration),
  ]
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
      (path): CallSpec => ({ method: 'GET', path, names: ['group_id'], rule, ...rest }),
    ),
  )
}
