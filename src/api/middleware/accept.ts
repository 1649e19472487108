import { ApiError } from '../../errors.ts'

/** Returns the first of some media types that the client accepts.
 *  @throws ApiError unsupported_accept: it accepts none of them */
export function requireAcceptable(
  accept: string | undefined,
  mediaTypes: readonly string[],
): string {
  const isTaken = (mediaType: string) =>
    accept === undefined || accept === '*/*' || acceptsType(accept, mediaType)
  const taken = mediaTypes.find(isTaken)
  if (taken !== undefined) return taken
  throw new ApiError('unsupported_accept', `Only ${mediaTypes.join(', ')} can be answered here`)
}

/** Whether an Accept header accepts a media type (RFC 9110 section 12.5.1): the most specific matching range decides, and
 *  quality 0 is a refusal. Parameters other than quality are ignored. */
export function acceptsType(accept: string, mediaType: string): boolean {
  const ranges = [mediaType, `${mediaType.split('/')[0]}/*`, '*/*']
  let best = { specificity: -1, isTaken: false }
  for (const part of accept.split(',')) {
    const [range = '', ...parameters] = part.split(';').map(text => text.trim().toLowerCase())
    const index = ranges.indexOf(range)
    const specificity = ranges.length - index
    if (index < 0 || specificity <= best.specificity) continue
    best = { specificity, isTaken: !parameters.some(text => /^q=0(\.0*)?$/.test(text)) }
  }
  return best.isTaken
}
