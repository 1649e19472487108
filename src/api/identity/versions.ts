import { type Route, route } from '../route.ts'
import { versionAnswer, versionsAnswer } from './answers.ts'

/** Where clients begin: what versions of the identity service there are. */
export function identityVersionRoutes(): readonly Route[] {
  return [
    route('GET /', {
      access: 'public',
      summary: 'Lists the versions of the identity service',
      answers: { 300: versionsAnswer },
      // Multiple Choices, and `values` below `versions`: gophercloud reads no other form.
      respond: ({ baseUrl }) => ({ versions: { values: [versionView(baseUrl)] } }),
    }),
    route('GET /v3', {
      access: 'public',
      summary: 'Shows version 3 of the identity service',
      answers: { 200: versionAnswer },
      respond: ({ baseUrl }) => ({ version: versionView(baseUrl) }),
    }),
  ]
}

function versionView(baseUrl: string) {
  return {
    id: 'v3.14',
    status: 'stable',
    updated: '2020-04-07T00:00:00Z',
    links: [{ rel: 'self', href: `${baseUrl}/v3/` }],
    'media-types': [
      { base: 'application/json', type: 'application/vnd.openstack.identity-v3+json' },
    ],
  }
}
