import { Type } from 'typebox'
import { component, link, listOf, objectsWith, oneOf, text } from './openapi/fields.ts'
import { type Route, route } from './route.ts'

/** A version of the API as clients discover it. */
export type ApiVersion = {
  readonly id: string
  readonly status: 'CURRENT' | 'SUPPORTED' | 'EXPERIMENTAL'
  /** The day it last changed, as a timestamp with Z. */
  readonly updated: string
  /** Below the mount: `/v2`. */
  readonly path: string
}

/** What the specification's own paths offer. */
export const plainVersions: readonly ApiVersion[] = [
  { id: 'v2', status: 'CURRENT', updated: '2026-11-21T00:00:00Z', path: '/v2' },
  { id: 'v1', status: 'SUPPORTED', updated: '2026-11-22T00:00:00Z', path: '/v1' },
]

/** What Designate's paths offer, by the names under which its clients know it: shared zones came with 2.1, SVCB
 *  and HTTPS with 2.2, TLSA with 2.3, zone imports with attributes with 2.4. All from 2.0 on are at one address. */
export const designateVersions: readonly ApiVersion[] = [
  { id: 'v1', status: 'SUPPORTED', updated: '2026-11-22T00:00:00Z', path: '/v1' },
  { id: 'v2', status: 'SUPPORTED', updated: '2026-11-21T00:00:00Z', path: '/v2' },
  { id: 'v2.0', status: 'SUPPORTED', updated: '2026-11-21T00:00:00Z', path: '/v2' },
  { id: 'v2.1', status: 'SUPPORTED', updated: '2026-11-21T00:00:00Z', path: '/v2' },
  { id: 'v2.2', status: 'SUPPORTED', updated: '2026-11-21T00:00:00Z', path: '/v2' },
  { id: 'v2.3', status: 'SUPPORTED', updated: '2026-11-21T00:00:00Z', path: '/v2' },
  { id: 'v2.4', status: 'CURRENT', updated: '2026-11-21T00:00:00Z', path: '/v2' },
]

/** What CloudKitty's paths offer; its clients are configured with one and take the first if not. */
export const cloudkittyVersions: readonly ApiVersion[] = [
  { id: 'v1', status: 'CURRENT', updated: '2026-11-22T00:00:00Z', path: '/v1' },
  { id: 'v2', status: 'EXPERIMENTAL', updated: '2026-11-22T00:00:00Z', path: '/v2' },
]

const versionsAnswer = Type.Object({
  versions: listOf(
    component('ApiVersion', {
      id: text('v2'),
      status: oneOf('CURRENT', 'SUPPORTED', 'EXPERIMENTAL'),
      updated: text('2026-11-21T00:00:00Z'),
      links: objectsWith({ rel: text('self'), href: link }),
    }),
  ),
})

/** The version list, from which clients discover the addresses of the versions. */
export function versionRoutes(versions: readonly ApiVersion[]): readonly Route[] {
  return [
    route('GET /', {
      access: 'public',
      summary: 'Lists the versions of the API',
      answers: { 200: versionsAnswer },
      respond: ({ baseUrl }) => ({
        versions: versions.map(version => versionView(version, baseUrl)),
      }),
    }),
  ]
}

function versionView({ id, status, updated, path }: ApiVersion, baseUrl: string) {
  return { id, status, updated, links: [{ rel: 'self', href: `${baseUrl}${path}` }] }
}
