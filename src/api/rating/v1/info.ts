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
  metricCall('metric'),
  metricCall('service'),
])

function metricCall(noun: 'metric' | 'service'): CallSpec {
  const plural = `${noun}s`
  const idName = `${noun}_id`
  const nameArgument = `${noun}_name`
  const view = ({ name, unit, metadata }: Metric) => ({ [idName]: name, unit, metadata })
  return {
    method: 'GET',
    path: `/info/${plural}`,
    inPath: nameArgument,
    names: [nameArgument],
    rule: 'info:list_metrics_info',
    summary: `Lists the ${plural} that are rated, or shows one`,
    answers: { 200: listOrOne(plural, metricAnswer(idName)) },
    refusals: ['not_found'],
    respond({ args }) {
      const name = args.text(nameArgument)
      if (name === undefined) return { [plural]: metrics.map(view) }
      const metric = metrics.find(each => each.name === name)
      if (metric === undefined) throw new ApiError('not_found', `No such ${noun}: ${name}`)
      return view(metric)
    },
  }
}
