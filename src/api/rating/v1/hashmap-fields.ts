import type { HashmapField } from '../../../model/rating.ts'
import type { HashmapFields } from '../../../rating/hashmap/fields.ts'
import { fieldAnswer } from './answers.ts'
import type { CallSpec } from './call.ts'
import { rowCalls } from './row-calls.ts'

/** The attributes that prices depend on. */
export function fieldCalls(fields: HashmapFields): readonly CallSpec[] {
  return rowCalls({
    path: '/module_config/hashmap/fields',
    plural: 'fields',
    idName: 'field_id',
    answer: fieldAnswer,
    view: fieldView,
    get: id => fields.get(id),
    list: {
      summary: 'Lists the fields of a service, or shows one',
      names: ['service_id'],
      refusals: ['bad_request', 'not_found'],
      views: args => fields.list(args.requiredUuid('service_id')).map(fieldView),
    },
    create: {
      summary: 'Adds a field to a service',
      names: ['name', 'service_id', 'field_id'],
      row({ args }) {
        const serviceId = args.requiredUuid('service_id')
        return fields.create({ serviceId, name: args.requiredText('name') })
      },
    },
    remove: {
      summary: 'Deletes a field with its rules',
      run: id => fields.delete(id),
    },
  })
}

function fieldView({ id, name, serviceId }: HashmapField) {
  return { field_id: id, name, service_id: serviceId }
}
