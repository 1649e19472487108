import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError, type FieldError, wordsOf } from '../../errors.ts'
import type { Logger } from '../../log.ts'
import { STATUS_CODES } from '../../node-http.ts'
import { StoreBusyError, StoreReadOnlyError, StoreUnavailableError } from '../../store/store.ts'
import { publicUrlOf } from '../addresses.ts'
import { type Dialect, messageOf, statusOf, typeOf } from '../dialect.ts'
import { requestIdOf } from './request-notes.ts'
import { sendContent } from './send-reply.ts'

/** A failed request, and how to report it. */
export type FailedRequest = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly logger: Logger
  readonly dialect: Dialect
  readonly publicUrl?: string | undefined
  /** The address where clients log in; undefined: below `publicUrl`. */
  readonly keystoneUrl?: string | undefined
}

/** Answers a request with an error. An error that is not a refusal is logged here, once, and reported to the client without its
 *  cause. */
export function answerError(error: unknown, failed: FailedRequest): void {
  const { request, response, dialect, publicUrl, keystoneUrl } = failed
  const requestId = requestIdOf(request)
  const refusal = refusalOf(error)
  const status = statusOf(refusal, dialect)
  if (refusal.type === 'unknown') failed.logger.error({ requestId, err: error }, 'request failed')
  if (response.headersSent) {
    // Half a response cannot be taken back; a cut connection at least does not look complete.
    response.destroy()
    return
  }
  if (status === 401) {
    const identityUrl = keystoneUrl ?? `${publicUrlOf(request, publicUrl)}/identity`
    response.setHeader('www-authenticate', `Keystone uri="${identityUrl}"`)
  }
  if (refusal.retryAfterSeconds !== undefined)
    response.setHeader('retry-after', refusal.retryAfterSeconds)
  // The unread rest of a body is discarded with its connection.
  const isCutOff = refusal.type === 'request_too_large' || refusal.type === 'too_many_requests'
  if (isCutOff && !request.complete) response.setHeader('connection', 'close')
  sendContent(response, { status, body: errorBody(refusal, dialect, requestId) })
}

/** The refusal for an error. */
function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof StoreReadOnlyError)
    return new ApiError('read_only', `Changes cannot be stored at the moment: ${error.message}`, {
      cause: error,
    })
  if (error instanceof StoreUnavailableError)
    return new ApiError('read_only', error.message, { cause: error, retryAfterSeconds: 1 })
  if (error instanceof StoreBusyError)
    return new ApiError('too_many_requests', 'Too many changes are waiting to be stored', {
      cause: error,
      retryAfterSeconds: 1,
    })
  // From express: the path has an invalid escape.
  if (error instanceof URIError)
    return new ApiError('bad_request', 'The path cannot be decoded', { cause: error })
  return new ApiError('unknown', 'An unexpected error occurred', { cause: error })
}

/** The body of a refusal. */
export function errorBody(error: ApiError, dialect: Dialect, requestId: string): object {
  const code = statusOf(error, dialect)
  const message = messageOf(error, dialect)
  const type = typeOf(error, dialect)
  const { fieldErrors } = error
  if (dialect.errorEnvelope === 'error') return { error: wordsOf(fieldErrors) || message }
  // Missing credentials are reported in the form of the identity service, under every path.
  if (dialect.errorEnvelope === 'keystone' || error.type === 'unauthorized') {
    const text = fieldErrors.length === 0 ? message : fieldErrors.map(e => e.message).join('. ')
    // Keystone has no `type`: a message is for people, and several refusals have the same status.
    const said = { error: { code, type, title: STATUS_CODES[code], message: text } }
    // In the form of Keystone for the missing method.
    const isHalf = error.type === 'second_factor_required'
    return isHalf ? { ...said, required_auth_methods: [['password', 'totp']] } : said
  }
  if (dialect.errorEnvelope === 'message') return { message }
  // The side at fault, in the terms of SOAP.
  const faultcode = code < 500 ? 'Client' : 'Server'
  if (dialect.errorEnvelope === 'fault') return { faultcode, faultstring: message, debuginfo: null }
  // Clients show `message` alone where there is one, so field errors come without.
  if (fieldErrors.length === 0) return { code, type, message, request_id: requestId }
  const isFlat = dialect.errorEnvelope === 'flat'
  const errors = isFlat ? fieldErrors.map(flatFieldError) : { errors: fieldErrors }
  return { code, type, errors, request_id: requestId }
}

/** A field error in the form of the first API: the path as one text, without the value of the rule. */
function flatFieldError({ path, message, validator }: FieldError): object {
  return { path: path.join('.'), message, validator }
}
