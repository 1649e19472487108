import type { Consistency } from '../../service/consistency/consistency.ts'
import type { Route } from '../route.ts'
import { checkView, checkViewSchema } from './check.view.ts'

/** Where a running server is asked to check itself. */
export const checkPath = '/admin/check'

/** The check of all that is stored and answered. A POST because it costs the server seconds, and nobody who follows
 *  links should start one. */
export function checkRoutes(consistency: Consistency): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/check',
      rule: 'check_consistency',
      summary: 'Compares what is stored with itself and with what is answered',
      answers: { 200: checkViewSchema },
      async handler() {
        return { status: 200, body: checkView(await consistency.check()) }
      },
    },
  ]
}
