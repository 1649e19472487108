import type { Diagnostics, Echo } from '../../service/operations/diagnostics.ts'
import { type Route, route } from '../route.ts'
import { pingAnswer } from './answers.ts'

/** Whether the parts of this server do their work. */
export function diagnosticRoutes(diagnostics: Diagnostics): readonly Route[] {
  return [
    route('GET /diagnostics/ping/:topic/:host', {
      rule: 'diagnostics_ping',
      summary: 'Has a part of the server answer',
      answers: { 200: pingAnswer },
      refusals: ['not_found'],
      async respond({ parameters: { topic = '', host = '' } }) {
        const pong = await diagnostics.ping(topic, host)
        return {
          host: pong.host,
          status: pong.isWell,
          backend: echoView(pong.backend),
          storage: echoView(pong.storage),
          ...messageOf(pong),
        }
      },
    }),
  ]
}

/** The time as text of seconds, as it always was. */
function echoView(echo: Echo): object {
  return { status: echo.problem === undefined, rtt: echo.seconds.toFixed(6), ...messageOf(echo) }
}

function messageOf({ problem }: { readonly problem: string | undefined }): object {
  return problem === undefined ? {} : { message: problem }
}
