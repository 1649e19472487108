import type { HashmapService } from '../../../model/rating.ts'
import type { HashmapServices } from '../../../rating/hashmap/services.ts'
import { serviceAnswer } from './answers.ts'
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
    get: id => services.get(id),
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
    remove: {
      summary: 'Deletes a service with its fields and all their rules',
      run: id => services.delete(id),
    },
  })
}

function serviceView({ id, name }: HashmapService) {
  return { service_id: id, name }
}
