import { Type } from 'typebox'
import type { OpenidLogins } from '../../identity/openid/openid-logins.ts'
import { link, orNull, text } from '../openapi/fields.ts'
import { type Route, route } from '../route.ts'

/** The address that the provider sends users back to; the provider has to know it. */
export function openidRedirect(publicUrl: string): string {
  return `${publicUrl}/console/`
}

const providerAnswer = Type.Object({
  openid: orNull(
    Type.Object({
      authorization_endpoint: link,
      client_id: text('zonewright'),
      scope: text('openid profile email'),
      redirect_uri: link,
    }),
  ),
})

/** The OpenID provider for logins. */
export function openidRoutes(openid: OpenidLogins | undefined): readonly Route[] {
  return [
    route('GET /v3/auth/openid', {
      access: 'public',
      summary: 'Says where to log in by the OpenID provider; null where there is none',
      answers: { 200: providerAnswer },
      refusals: ['keystone_communication_failure'],
      async respond({ publicUrl }) {
        if (openid === undefined) return { openid: null }
        const { authorizationEndpoint, clientId, scope } = await openid.provider()
        return {
          openid: {
            authorization_endpoint: authorizationEndpoint,
            client_id: clientId,
            scope,
            redirect_uri: openidRedirect(publicUrl),
          },
        }
      },
    }),
  ]
}
