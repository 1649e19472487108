import type { PublicContext } from '../route.ts'

/** The parts of a request that links of the group need. */
export type LinkContext = Pick<PublicContext, 'publicUrl' | 'baseUrl'>

/** The address of the older group, also for requests without the prefix. */
export function groupUrl({ publicUrl, baseUrl }: LinkContext): string {
  return baseUrl.endsWith('/v1') ? baseUrl : `${publicUrl}/v1`
}
