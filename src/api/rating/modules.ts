import { ApiError } from '../../errors.ts'
import type { ModuleSettings, SetModule } from '../../rating/module-settings.ts'
import { type PublicContext, type Route, route } from '../route.ts'
import { moduleAnswer, modulesAnswer } from './answers.ts'
import { anyBody, countIn, flagIn, requireKeys } from './body.ts'

/** What puts prices on usage. */
export function moduleRoutes(modules: ModuleSettings): readonly Route[] {
  return [
    route('GET /rating/modules', {
      rule: 'rating:list_modules',
      summary: 'Lists the rating modules',
      answers: { 200: modulesAnswer },
      respond: () => ({ modules: modules.list().map(moduleView) }),
    }),
    route('GET /rating/modules/:module_id', {
      rule: 'rating:get_module',
      summary: 'Shows a rating module',
      answers: { 200: moduleAnswer },
      refusals: ['not_found'],
      respond: context => moduleView(moduleOf(modules, context)),
    }),
    route('PUT /rating/modules/:module_id', {
      rule: 'rating:update_module',
      summary: 'Switches a rating module on or off, or ranks it',
      answers: { 204: null },
      refusals: ['not_found', 'bad_request'],
      bodySchema: anyBody('rating module', { enabled: true, priority: 2 }),
      async respond(context) {
        const { body } = context
        const { name } = moduleOf(modules, context)
        requireKeys(body, ['enabled', 'priority'])
        await modules.set(name, {
          isEnabled: flagIn(body, 'enabled'),
          priority: countIn(body, 'priority'),
        })
      },
    }),
  ]
}

function moduleOf(modules: ModuleSettings, { parameters }: PublicContext): SetModule {
  const id = parameters.module_id ?? ''
  const module = modules.find(id)
  if (module === undefined) throw new ApiError('not_found', `Module '${id}' not found`)
  return module
}

function moduleView({ name, description, isEnabled, hasHotConfig, priority }: SetModule) {
  return {
    module_id: name,
    description,
    enabled: isEnabled,
    hot_config: hasHotConfig,
    priority,
  }
}
