import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { ApiError, type FieldError, wordsOf } from '../../errors.ts'
import type { Logger } from '../../log.ts'
import { StoreBusyError, StoreReadOnlyError, StoreUnavailableError } from '../../store/store.ts'
import { publicUrlOf } from '../addresses.ts'
import { type Dialect, messageOf, statusOf, typeOf } from '../dialect.ts'
import { requestIdOf } from './request-id.ts'
import { sendContent } from './send-reply.ts'

/** A request that went wrong, and how to say so. */
export type FailedRequest = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly logger: Logger
  readonly dialect: Dialect
  readonly publicUrl: string | undefined
  /** Where clients log in; undefined: below `publicUrl`. */
  readonly keystoneUrl: string | undefined
}

/** Answers a request with what went wrong. What is not a refusal is logged here, once, and answered to the client
 *  without its reasons. */
export function answerError(error: unknown, failed: FailedRequest): void {
  const { request, response, dialect, publicUrl, keystoneUrl } = failed
  const requestId = requestIdOf(request)
  const refusal = refusalOf(error)
  const status = statusOf(refusal, dialect)
  if (refusal.type === 'unknown') failed.logger.error({ requestId, err: error }, 'request failed')
  if (response.headersSent) {
    // Half an answer cannot be taken back; a cut connection at least does not look whole.
    response.destroy()
    return
  }
  if (status === 401) {
    const identityUrl = keystoneUrl ?? `${publicUrlOf(request, publicUrl)}/identity`
    response.setHeader('www-authenticate', `Keystone uri="${identityUrl}"`)
  }
  if (refusal.retryAfterSeconds !== undefined)
    response.setHeader('retry-after', refusal.retryAfterSeconds)
  // The rest of a body that is not read away goes with its connection.
  const isCutOff = refusal.type === 'request_too_large' || refusal.type === 'too_many_requests'
  if (isCutOff && !request.complete) response.setHeader('connection', 'close')
  sendContent(response, { status, body: errorBody(refusal, dialect, requestId) })
}

/** The refusal that stands for an error. */
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
  // express: the path has an escape that is none.
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
  // The words of a missing login are the identity service's under every path.
  if (dialect.errorEnvelope === 'keystone' || error.type === 'unauthorized') {
    const text = fieldErrors.length === 0 ? message : fieldErrors.map(e => e.message).join('. ')
    const said = { error: { code, title: STATUS_CODES[code], message: text } }
    // As Keystone says what is missing.
    const isHalf = error.type === 'second_factor_required'
    return isHalf ? { ...said, required_auth_methods: [['password', 'totp']] } : said
  }
  if (dialect.errorEnvelope === 'message') return { message }
  if (dialect.errorEnvelope === 'fault')
    return { faultcode: faultCodeOf(code), faultstring: message, debuginfo: null }
  // Clients show `message` alone where there is one, so field errors come without.
  if (fieldErrors.length === 0) return { code, type, message, request_id: requestId }
  const isFlat = dialect.errorEnvelope === 'flat'
  const errors = isFlat ? fieldErrors.map(flatFieldError) : { errors: fieldErrors }
  return { code, type, errors, request_id: requestId }
}

/** Whose fault it is, as SOAP has it. */
function faultCodeOf(status: number): 'Client' | 'Server' {
  return status < 500 ? 'Client' : 'Server'
}

/** As the first API tells what is wrong: the path as one text, and no value of the rule. */
function flatFieldError({ path, message, validator }: FieldError): object {
  return { path: path.join('.'), message, validator }
}
