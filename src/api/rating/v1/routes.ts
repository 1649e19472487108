import { ruleTypes } from '../../../rating/hashmap/rule-book.ts'
import type { Route } from '../../route.ts'
import type { RatingServices } from '../services.ts'
import { typesAnswer } from './answers.ts'
import { type CallSpec, callRoutes } from './call.ts'
import { collectorRoutes } from './collector.ts'
import { fieldCalls, groupCalls, serviceCalls } from './hashmap-rows.ts'
import { mappingCalls, thresholdCalls } from './hashmap-rules.ts'
import { infoRoutes } from './info.ts'
import { moduleCalls } from './modules.ts'
import { pyscriptCalls } from './pyscripts.ts'
import { reportRoutes } from './report.ts'
import { storageRoutes } from './storage.ts'

/** CloudKitty's first API. What is below `rating` is also below `billing`, its name of old. */
export function v1Routes(services: RatingServices): readonly Route[] {
  const { administration } = services
  const ratingCalls = [
    ...moduleCalls(services),
    typesCall,
    ...serviceCalls(administration.services),
    ...fieldCalls(administration.fields),
    ...groupCalls(administration),
    ...mappingCalls(administration.mappings),
    ...thresholdCalls(administration.thresholds),
    ...pyscriptCalls(administration.pyscripts),
  ]
  return [
    ...infoRoutes,
    ...collectorRoutes(administration.collectors),
    ...reportRoutes(services),
    ...storageRoutes(services),
    ...['/rating', '/billing'].flatMap(base =>
      callRoutes(ratingCalls.map(call => ({ ...call, path: base + call.path }))),
    ),
  ]
}

const typesCall: CallSpec = {
  method: 'GET',
  path: '/module_config/hashmap/types',
  rule: 'rating:module_config',
  summary: 'Lists the types of mappings and thresholds',
  answers: { 200: typesAnswer },
  respond: () => ruleTypes,
}
