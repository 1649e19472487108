import type { Consistency } from '../../service/consistency/consistency.ts'
import { type Route, route } from '../route.ts'
import { checkAnswer } from './answers.ts'
import { checkView } from './check.view.ts'

/** The check of all stored and answered data. A POST because it costs the server seconds, and following a link should not start
 *  one. */
export function checkRoutes(consistency: Consistency): readonly Route[] {
  return [
    route('POST /check', {
      rule: 'check_consistency',
      summary: 'Compares what is stored with itself and with what is answered',
      answers: { 200: checkAnswer },
      respond: async () => checkView(await consistency.check()),
    }),
  ]
}
