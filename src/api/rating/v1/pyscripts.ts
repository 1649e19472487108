import type { Pyscript } from '../../../model/rating.ts'
import { checksumOf, type Pyscripts } from '../../../rating/pyscripts.ts'
import { formatNaive } from '../../../rating/timestamp.ts'
import { listOrOne, scriptAnswer } from './answers.ts'
import { type CallSpec, created } from './call.ts'
import { echoedNames } from './hashmap-rules.ts'

/** Rating scripts: kept, and never run. */
export function pyscriptCalls(scripts: Pyscripts): readonly CallSpec[] {
  const common = {
    path: '/module_config/pyscripts/scripts',
    rule: 'rating:module_config',
  } as const
  const fields = [
    'name',
    'data',
    'description',
    'start',
    'end',
    'checksum',
    'force',
    ...echoedNames,
  ]
  return [
    {
      ...common,
      method: 'GET',
      inPath: 'script_id',
      names: ['script_id', 'no_data'],
      summary: 'Lists rating scripts, or shows one',
      answers: { 200: listOrOne('scripts', scriptAnswer) },
      refusals: ['not_found'],
      async handler({ args }) {
        const id = args.uuid('script_id')
        if (id !== undefined) return { status: 200, body: scriptView(scripts.get(id)) }
        const view = args.flag('no_data') === true ? scriptHeadView : scriptView
        return { status: 200, body: { scripts: scripts.list().map(view) } }
      },
    },
    {
      ...common,
      method: 'POST',
      names: fields,
      summary: 'Keeps a rating script',
      answers: { 201: scriptAnswer },
      refusals: ['bad_request', 'conflict'],
      async handler(call) {
        const { args } = call
        const script = await scripts.create({
          name: args.requiredText('name'),
          data: args.requiredText('data'),
          description: args.text('description') ?? null,
          start: args.instant('start') ?? null,
          end: args.instant('end') ?? null,
        })
        return created(call, { id: script.id, body: scriptView(script) })
      },
    },
    {
      ...common,
      method: 'PUT',
      inPath: 'script_id',
      names: ['script_id', ...fields],
      summary: 'Changes a rating script',
      answers: { 201: scriptAnswer },
      refusals: ['bad_request', 'not_found', 'conflict'],
      async handler({ args, url }) {
        const script = await scripts.update(args.requiredUuid('script_id'), {
          name: args.text('name'),
          data: args.text('data'),
          description: args.textOrNull('description'),
          start: args.instantOrNull('start'),
          end: args.instantOrNull('end'),
        })
        // CloudKitty has always answered 201 here.
        return { status: 201, headers: { location: url }, body: scriptView(script) }
      },
    },
    {
      ...common,
      method: 'DELETE',
      inPath: 'script_id',
      names: ['script_id'],
      summary: 'Deletes a rating script',
      answers: { 204: null },
      refusals: ['not_found'],
      respond: ({ args }) => scripts.delete(args.requiredUuid('script_id')),
    },
  ]
}

function scriptHeadView(script: Pyscript) {
  const { id, name, description, start, end } = script
  return {
    script_id: id,
    name,
    checksum: checksumOf(script),
    description,
    start: start === null ? null : formatNaive(start),
    end: end === null ? null : formatNaive(end),
  }
}

function scriptView(script: Pyscript) {
  return { ...scriptHeadView(script), data: script.data }
}
