import type { Pyscript } from '../../../model/rating.ts'
import { checksumOf, type Pyscripts } from '../../../rating/pyscripts.ts'
import { formatNaive } from '../../../rating/timestamp.ts'
import { scriptAnswer } from './answers.ts'
import type { CallSpec } from './call.ts'
import { echoedNames } from './hashmap-rules.ts'
import { moduleRule, rowCalls } from './row-calls.ts'

/** Rating scripts: kept, and never run. */
export function pyscriptCalls(scripts: Pyscripts): readonly CallSpec[] {
  const path = '/module_config/pyscripts/scripts'
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
  const calls = rowCalls({
    path,
    plural: 'scripts',
    idName: 'script_id',
    answer: scriptAnswer,
    view: scriptView,
    rows: scripts,
    list: {
      summary: 'Lists rating scripts, or shows one',
      names: ['no_data'],
      refusals: ['not_found'],
      views: args =>
        scripts.list().map(args.flag('no_data') === true ? scriptHeadView : scriptView),
    },
    create: {
      summary: 'Keeps a rating script',
      names: fields,
      row: ({ args }) =>
        scripts.create({
          name: args.requiredText('name'),
          data: args.requiredText('data'),
          description: args.text('description') ?? null,
          start: args.instant('start') ?? null,
          end: args.instant('end') ?? null,
        }),
    },
    remove: { summary: 'Deletes a rating script' },
  })
  return [
    ...calls,
    {
      path,
      rule: moduleRule,
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
