import { Type } from 'typebox'
import type { HashmapField, HashmapService } from '../../../model/rating.ts'
import type { Administration } from '../../../rating/administration.ts'
import type { HashmapFields, HashmapServices } from '../../../rating/hashmap/services.ts'
import { listOf } from '../../openapi/fields.ts'
import { fieldAnswer, groupAnswer, ruleAnswers, serviceAnswer } from './answers.ts'
import type { Call, CallSpec } from './call.ts'
import { groupView, mappingView, thresholdView } from './hashmap-rules.ts'
import { moduleRule, rowCalls } from './row-calls.ts'

/** The metrics that hashmap prices. */
export function serviceCalls(services: HashmapServices): readonly CallSpec[] {
  return rowCalls({
    path: '/module_config/hashmap/services',
    plural: 'services',
    idName: 'service_id',
    answer: serviceAnswer,
    view: serviceView,
    rows: services,
    list: {
      summary: 'Lists the services of the hashmap, or shows one',
      refusals: ['not_found'],
      views: () => services.list().map(serviceView),
    },
    create: {
      summary: 'Adds a service to the hashmap',
      names: ['name', 'service_id'],
      row: ({ args }) => services.create(args.requiredText('name')),
    },
    remove: { summary: 'Deletes a service with its fields and all their rules' },
  })
}

function serviceView({ id, name }: HashmapService) {
  return { service_id: id, name }
}

/** The attributes that prices depend on. */
export function fieldCalls(fields: HashmapFields): readonly CallSpec[] {
  return rowCalls({
    path: '/module_config/hashmap/fields',
    plural: 'fields',
    idName: 'field_id',
    answer: fieldAnswer,
    view: fieldView,
    rows: fields,
    list: {
      summary: 'Lists the fields of a service, or shows one',
      names: ['service_id'],
      refusals: ['bad_request', 'not_found'],
      views: args => fields.listOf(args.requiredUuid('service_id')).map(fieldView),
    },
    create: {
      summary: 'Adds a field to a service',
      names: ['name', 'service_id', 'field_id'],
      row({ args }) {
        const serviceId = args.requiredUuid('service_id')
        return fields.create({ serviceId, name: args.requiredText('name') })
      },
    },
    remove: { summary: 'Deletes a field with its rules' },
  })
}

function fieldView({ id, name, serviceId }: HashmapField) {
  return { field_id: id, name, service_id: serviceId }
}

const groupsPath = '/module_config/hashmap/groups'

/** The groups of rules that are computed together. */
export function groupCalls(administration: Administration): readonly CallSpec[] {
  const { groups } = administration
  const calls = rowCalls({
    path: groupsPath,
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
  return [`${groupsPath}/${name}`, `${groupsPath}/:group_id/${name}`].map(
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
