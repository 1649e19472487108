import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '../../log.ts'
import { peerOf, principalFields, requestIdOf } from './request-notes.ts'

const globalIdPattern = /^req-[0-9a-f-]{36}$/i

/** Logs each request once with its principal, when it is answered or its client has disconnected: changes at info, reads at
 *  debug. Headers and bodies, which contain tokens and keys, are never logged. Errors are logged where they are handled
 *  (answer-error.ts); here they are answers like any other. */
export function accessLog(logger: Logger) {
  // No field of these lines has the name of a secret, and searching for one costs more than the line.
  const lines = logger.child({}, { redact: [] })
  return (request: IncomingMessage, response: ServerResponse): void => {
    const { method } = request
    const level = method === 'GET' || method === 'HEAD' ? 'debug' : 'info'
    if (!lines.isLevelEnabled(level)) return
    const beganAt = performance.now()
    const req = requestFields(request)
    response.on('close', () => {
      const res = { status: response.statusCode }
      const durationMs = Math.round(performance.now() - beganAt)
      const requestId = requestIdOf(request)
      const fields = { requestId, req, ...principalFields(request), res, durationMs }
      lines[level](fields, 'request answered')
    })
  }
}

function requestFields(request: IncomingMessage) {
  const globalId = request.headers['x-openstack-request-id']
  const isGlobalId = typeof globalId === 'string' && globalIdPattern.test(globalId)
  return {
    method: request.method,
    url: request.url,
    peer: peerOf(request),
    ...(isGlobalId && { globalId }),
  }
}
