import type { PublicContext } from '../route.ts'

/** What links of the group need to know of a request. */
export type LinkContext = Pick<PublicContext, 'publicUrl' | 'baseUrl'>

/** The address of the older group, also for those who came without the prefix. */
export function groupUrl({ publicUrl, baseUrl }: LinkContext): string {
  return baseUrl.endsWith('/v1') ? baseUrl : `${publicUrl}/v1`
}
