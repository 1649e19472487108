import type { IncomingMessage, ServerResponse } from 'node:http'
import { pinoHttp } from 'pino-http'
import type { Logger } from '../../log.ts'
import { peerOf } from './peer.ts'
import { principalFields } from './request-actor.ts'

const globalIdPattern = /^req-[0-9a-f-]{36}$/i

/** Logs each request once, when it is answered, with who made it: changes at info, reads at debug. Headers and bodies,
 *  which hold tokens and keys, are never logged. What went wrong is logged where it is handled (answer-error.ts);
 *  here it is one more answer. */
export function accessLog(logger: Logger) {
  return pinoHttp<IncomingMessage, ServerResponse>({
    logger,
    quietReqLogger: true,
    wrapSerializers: false,
    serializers: { req: requestFields, res: responseFields },
    customProps: request => principalFields(request) ?? {},
    customAttributeKeys: { reqId: 'requestId', responseTime: 'durationMs' },
    customLogLevel: ({ method }) => (method === 'GET' || method === 'HEAD' ? 'debug' : 'info'),
    customSuccessMessage: () => 'request answered',
    customErrorMessage: () => 'request answered',
    customErrorObject: (_request, _response, _error, { err, ...fields }) => fields,
  })
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

function responseFields({ statusCode }: ServerResponse) {
  return { status: statusCode }
}
