import { ApiError } from '../errors.ts'

/** The refusal of a request that may be repeated later. */
export function tooManyRequests(reason: string, retryAfterSeconds: number): ApiError {
  const message = `${reason}: try again in ${retryAfterSeconds} s`
  return new ApiError('too_many_requests', message, { retryAfterSeconds })
}
