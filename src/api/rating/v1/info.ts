import { ApiError } from '../../../errors.ts'
import { type Metric, metrics } from '../../../rating/metrics.ts'
import { configAnswer, listOrOne, metricAnswer } from './answers.ts'
import { type CallSpec, callRoutes } from './call.ts'

/** What is rated. Services are what metrics were once called. */
export const infoRoutes = callRoutes([
  {
    method: 'GET',
    path: '/info/config',
    rule: 'info:get_config',
    summary: 'Shows which metrics are rated, and what describes them',
    answers: { 200: configAnswer },
    respond() {
      const config = metrics.map(({ name, unit, description, groupby, metadata }) => [
        name,
        { unit, description, groupby, metadata },
      ])
      return { metrics: Object.fromEntries(config) }
    },
  },
  metricCall({ plural: 'metrics', singular: 'metric' }),
  metricCall({ plural: 'services', singular: 'service' }),
])

function metricCall(words: { readonly plural: string; readonly singular: string }): CallSpec {
  const nameArgument = `${words.singular}_name`
  const view = ({ name, unit, metadata }: Metric) => ({
    [`${words.singular}_id`]: name,
    unit,
    metadata,
  })
  return {
    method: 'GET',
    path: `/info/${words.plural}`,
    inPath: nameArgument,
    names: [nameArgument],
    rule: 'info:list_metrics_info',
    summary: `Lists the ${words.plural} that are rated, or shows one`,
    answers: { 200: listOrOne(words.plural, metricAnswer(`${words.singular}_id`)) },
    refusals: ['not_found'],
    respond({ args }) {
      const name = args.text(nameArgument)
      if (name === undefined) return { [words.plural]: metrics.map(view) }
      const metric = metrics.find(each => each.name === name)
      if (metric === undefined)
        throw new ApiError('not_found', `No such ${words.singular}: ${name}`)
      return view(metric)
    },
  }
}
