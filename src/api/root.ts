import { Type } from 'typebox'
import { plain } from './dialect.ts'
import { flag, listOf, oneOf, text, timestamp } from './openapi/fields.ts'
import { type Route, route } from './route.ts'
import type { Mount } from './route-table.ts'
import { formatTimestamp } from './timestamps.ts'
import { type ApiVersion, versionRoutes } from './versions.ts'

export type HealthParts = {
  /** The reasons why the server is not ready to answer; empty while it is. */
  readonly readiness: () => readonly string[] | Promise<readonly string[]>
  /** Why changes are refused at present; undefined while they are accepted. */
  readonly readOnlyReason: () => string | undefined
  /** When the first signature made here expires, in seconds since the epoch; undefined where none is known. */
  readonly nearestExpiration?: () => number | undefined
}

type RootOptions = HealthParts & {
  readonly versions: readonly ApiVersion[]
  /** What else stands there. */
  readonly others?: readonly Route[]
}

/** What stands under no base: where to go on, and how the server is. */
export function rootMount(options: RootOptions): Mount {
  const { versions, others = [] } = options
  return {
    base: '',
    dialect: plain,
    routes: [...versionRoutes(versions), ...healthRoutes(options), ...others],
  }
}

const livenessAnswer = Type.Object({ status: text('ok') })
const readinessAnswer = Type.Object({
  status: oneOf('ready', 'not ready'),
  reasons: Type.Optional(listOf(text('the store is being loaded'))),
  read_only: flag,
  read_only_reason: Type.Optional(text('the disk is full')),
  nearest_signature_expiration: Type.Optional(timestamp),
})

/** Liveness (the process answers) and readiness (it serves what it stores), for monitoring. */
function healthRoutes({
  readiness,
  readOnlyReason,
  nearestExpiration,
}: HealthParts): readonly Route[] {
  return [
    route('GET /healthz', {
      access: 'public',
      summary: 'Says that the process is alive',
      answers: { 200: livenessAnswer },
      respond: () => ({ status: 'ok' }),
    }),
    route('GET /readyz', {
      access: 'public',
      summary: 'Says whether DNS and API serve the loaded store, or what is missing',
      answers: { 200: readinessAnswer, 503: readinessAnswer },
      handler: async () => {
        const reasons = await readiness()
        const readOnly = readOnlyReason()
        const endsAt = nearestExpiration?.()
        const state = {
          read_only: readOnly !== undefined,
          read_only_reason: readOnly,
          nearest_signature_expiration: endsAt && formatTimestamp(endsAt * 1e6),
        }
        // A read-only server still answers, so no client should be sent elsewhere.
        if (reasons.length === 0) return { status: 200, body: { status: 'ready', ...state } }
        return { status: 503, body: { status: 'not ready', reasons, ...state } }
      },
    }),
  ]
}
