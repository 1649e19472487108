import type { HashmapField, HashmapService } from '../../../model/rating.ts'
import type { HashmapFields, HashmapServices } from '../../../rating/hashmap/services.ts'
import { fieldAnswer, serviceAnswer } from './answers.ts'
import type { CallSpec } from './call.ts'
import { rowCalls } from './row-calls.ts'

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
