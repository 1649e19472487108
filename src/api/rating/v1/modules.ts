import { ApiError } from '../../../errors.ts'
import { isAdmin } from '../../../identity/caller.ts'
import { formatDecimal } from '../../../rating/decimal.ts'
import type { ModuleSettings, SetModule } from '../../../rating/module-settings.ts'
import { nowSeconds } from '../../../rating/period.ts'
import { pointsToQuote, quote } from '../../../rating/quote.ts'
import { inSlices } from '../../../time-slice.ts'
import { amount } from '../../openapi/fields.ts'
import type { RatingServices } from '../services.ts'
import { listOrOne, moduleAnswer } from './answers.ts'
import type { Arguments } from './arguments.ts'
import { type CallSpec, sentBack } from './call.ts'

/** The rating modules, and what they would charge. */
export function moduleCalls({ administration, clock }: RatingServices): readonly CallSpec[] {
  const { modules } = administration
  return [
    ...settingCalls(modules),
    {
      method: 'GET',
      path: '/reload_modules',
      rule: 'rating:update_module',
      summary: 'Has no effect: rules are read anew for each period',
      answers: { 204: null },
      respond: () => undefined,
    },
    {
      method: 'POST',
      path: '/quote',
      names: ['resources'],
      rule: 'rating:quote',
      summary: 'Says what resources would cost',
      answers: { 200: amount },
      refusals: ['invalid_object'],
      async respond({ args, caller }) {
        const context = {
          projectId: caller.projectId,
          mayNameProject: isAdmin(caller),
          at: nowSeconds(clock),
        }
        const points = await inSlices(pointsToQuote(args.value('resources') ?? [], context))
        return formatDecimal(await inSlices(quote(points, administration.rules())))
      },
    },
    ...(['GET', 'POST', 'PUT', 'DELETE'] as const).map(
      (method): CallSpec => ({
        method,
        path: '/module_config/noop',
        rule: 'rating:module_config',
        summary: 'Is refused: this module has nothing to configure',
        answers: {},
        refusals: ['conflict'],
        async handler() {
          throw new ApiError('conflict', 'Module is not configurable')
        },
      }),
    ),
  ]
}

function settingCalls(modules: ModuleSettings): readonly CallSpec[] {
  return [
    {
      method: 'GET',
      path: '/modules',
      inPath: 'module_id',
      names: ['module_id'],
      rule: 'rating:list_modules',
      summary: 'Lists the rating modules, or shows one',
      answers: { 200: listOrOne('modules', moduleAnswer) },
      refusals: ['not_found'],
      respond: ({ args }) =>
        args.text('module_id') === undefined
          ? { modules: modules.list().map(moduleView) }
          : moduleView(moduleOf(modules, args)),
    },
    {
      method: 'PUT',
      path: '/modules',
      inPath: 'module_id',
      names: ['module_id', 'description', 'enabled', 'hot-config', 'priority'],
      rule: 'rating:update_module',
      summary: 'Switches a rating module on or off, or ranks it',
      answers: { 302: null },
      refusals: ['not_found', 'bad_request'],
      async handler({ args, url }) {
        const { name } = moduleOf(modules, args)
        await modules.set(name, {
          isEnabled: args.flag('enabled'),
          priority: args.count('priority'),
        })
        return sentBack(url)
      },
    },
  ]
}

function moduleOf(modules: ModuleSettings, args: Arguments): SetModule {
  const module = modules.find(args.requiredText('module_id'))
  if (module === undefined) throw new ApiError('not_found', 'Module not found.')
  return module
}

function moduleView({ name, description, isEnabled, hasHotConfig, priority }: SetModule) {
  return {
    module_id: name,
    description,
    enabled: isEnabled,
    'hot-config': hasHotConfig,
    priority,
  }
}
