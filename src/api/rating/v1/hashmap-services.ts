import type { HashmapService } from '../../../model/rating.ts'
import type { HashmapServices } from '../../../rating/hashmap/services.ts'
import { listOrOne, serviceAnswer } from './answers.ts'
import { type CallSpec, created } from './call.ts'

/** The metrics that hashmap prices. */
export function serviceCalls(services: HashmapServices): readonly CallSpec[] {
  const common = {
    path: '/module_config/hashmap/services',
    rule: 'rating:module_config',
  } as const
  return [
    {
      ...common,
      method: 'GET',
      inPath: 'service_id',
      names: ['service_id'],
      summary: 'Lists the services of the hashmap, or shows one',
      answers: { 200: listOrOne('services', serviceAnswer) },
      refusals: ['not_found'],
      respond({ args }) {
        const id = args.uuid('service_id')
        const body =
          id === undefined
            ? { services: services.list().map(serviceView) }
            : serviceView(services.get(id))
        return body
      },
    },
    {
      ...common,
      method: 'POST',
      names: ['name', 'service_id'],
      summary: 'Adds a service to the hashmap',
      answers: { 201: serviceAnswer },
      refusals: ['bad_request', 'conflict'],
      async handler(call) {
        const service = await services.create(call.args.requiredText('name'))
        return created(call, { id: service.id, body: serviceView(service) })
      },
    },
    {
      ...common,
      method: 'DELETE',
      inPath: 'service_id',
      names: ['service_id'],
      summary: 'Deletes a service with its fields and all their rules',
      answers: { 204: null },
      refusals: ['not_found'],
      respond: ({ args }) => services.delete(args.requiredUuid('service_id')),
    },
  ]
}

function serviceView({ id, name }: HashmapService) {
  return { service_id: id, name }
}
