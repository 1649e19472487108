import type { HashmapField } from '../../../model/rating.ts'
import type { HashmapFields } from '../../../rating/hashmap/fields.ts'
import { fieldAnswer, listOrOne } from './answers.ts'
import { type CallSpec, created } from './call.ts'

/** The attributes that prices depend on. */
export function fieldCalls(fields: HashmapFields): readonly CallSpec[] {
  const common = {
    path: '/module_config/hashmap/fields',
    rule: 'rating:module_config',
  } as const
  return [
    {
      ...common,
      method: 'GET',
      inPath: 'field_id',
      names: ['field_id', 'service_id'],
      summary: 'Lists the fields of a service, or shows one',
      answers: { 200: listOrOne('fields', fieldAnswer) },
      refusals: ['bad_request', 'not_found'],
      async handler({ args }) {
        const id = args.uuid('field_id')
        if (id !== undefined) return { status: 200, body: fieldView(fields.get(id)) }
        const list = fields.list(args.requiredUuid('service_id'))
        return { status: 200, body: { fields: list.map(fieldView) } }
      },
    },
    {
      ...common,
      method: 'POST',
      names: ['name', 'service_id', 'field_id'],
      summary: 'Adds a field to a service',
      answers: { 201: fieldAnswer },
      refusals: ['bad_request', 'conflict'],
      async handler(call) {
        const { args } = call
        const serviceId = args.requiredUuid('service_id')
        const field = await fields.create({ serviceId, name: args.requiredText('name') })
        return created(call, { id: field.id, body: fieldView(field) })
      },
    },
    {
      ...common,
      method: 'DELETE',
      inPath: 'field_id',
      names: ['field_id'],
      summary: 'Deletes a field with its rules',
      answers: { 204: null },
      refusals: ['not_found'],
      respond: ({ args }) => fields.delete(args.requiredUuid('field_id')),
    },
  ]
}

function fieldView({ id, name, serviceId }: HashmapField) {
  return { field_id: id, name, service_id: serviceId }
}
