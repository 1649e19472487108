import type { CollectorMapping } from '../../../model/rating.ts'
import type { Collectors } from '../../../rating/collectors.ts'
import type { Route } from '../../route.ts'
import { collectorMappingAnswer, collectorStateAnswer, listOrOne } from './answers.ts'
import { type Call, type CallSpec, callRoutes } from './call.ts'

/** Which collector serves which metric, and which are on, as far as clients have said so. */
export function collectorRoutes(collectors: Collectors): readonly Route[] {
  return callRoutes([...mappingCalls(collectors), ...stateCalls(collectors)])
}

function mappingCalls(collectors: Collectors): readonly CallSpec[] {
  const common = {
    path: '/collector/mappings',
    inPath: 'service',
    names: ['service', 'collector'],
  } as const
  return [
    {
      ...common,
      method: 'GET',
      rule: 'collector:list_mappings',
      summary: 'Lists which collector serves which metric, or shows one',
      answers: { 200: listOrOne('mappings', collectorMappingAnswer) },
      refusals: ['not_found'],
      respond({ args }) {
        const service = args.text('service')
        return service === undefined
          ? { mappings: collectors.mappings(args.text('collector')).map(mappingView) }
          : mappingView(collectors.mappingOf(service))
      },
    },
    {
      ...common,
      method: 'POST',
      rule: 'collector:manage_mapping',
      summary: 'Says which collector serves a metric',
      answers: { 200: collectorMappingAnswer },
      refusals: ['bad_request'],
      async respond({ args }) {
        const mapping = await collectors.map(
          args.requiredText('service'),
          args.requiredText('collector'),
        )
        return mappingView(mapping)
      },
    },
    {
      ...common,
      method: 'DELETE',
      rule: 'collector:manage_mapping',
      summary: 'Forgets which collector serves a metric',
      answers: { 204: null },
      refusals: ['not_found'],
      respond: ({ args }) => collectors.unmap(args.requiredText('service')),
    },
  ]
}

function stateCalls(collectors: Collectors): readonly CallSpec[] {
  const show = ({ args }: Call) => {
    const name = args.requiredText('name')
    return { name, enabled: collectors.isEnabled(name) }
  }
  const both = (common: Pick<CallSpec, 'path' | 'inPath'>): readonly CallSpec[] => [
    {
      ...common,
      method: 'GET',
      names: ['name'],
      rule: 'collector:get_state',
      summary: 'Shows whether a collector is on',
      answers: { 200: collectorStateAnswer },
      refusals: ['bad_request'],
      respond: show,
    },
    {
      ...common,
      method: 'PUT',
      names: ['name', 'enabled'],
      rule: 'collector:update_state',
      summary: 'Switches a collector on or off',
      answers: { 200: collectorStateAnswer },
      refusals: ['bad_request'],
      async respond(call) {
        const { args } = call
        await collectors.switch(args.requiredText('name'), args.flag('enabled') ?? false)
        return show(call)
      },
    },
  ]
  return [
    ...both({ path: '/collector/states', inPath: 'name' }),
    ...both({ path: '/collector/:name/states' }),
  ]
}

function mappingView({ id, collector }: CollectorMapping) {
  return { service: id, collector }
}
