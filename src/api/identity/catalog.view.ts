import { createHash } from 'node:crypto'
import type { PublicContext } from '../route.ts'

/** A service in a token's catalog. */
type Service = { readonly type: string; readonly name: string; readonly path: string }

// Unversioned where clients discover versions themselves: gophercloud appends `v2/` to the dns endpoint.
const services: readonly Service[] = [
  { type: 'dns', name: 'designate', path: '/dns' },
  { type: 'rating', name: 'cloudkitty', path: '/rating' },
  { type: 'identity', name: 'keystone', path: '/identity/v3' },
]

const interfaces = ['public', 'internal', 'admin'] as const
const region = 'RegionOne'

/** The services that a token gives access to, with their addresses. */
export function catalogView(publicUrl: string) {
  return services.map(({ type, name, path }) => ({
    id: stableId(type),
    type,
    name,
    endpoints: endpointsOf(type, publicUrl + path),
  }))
}

/** The services of the catalog as a list of their own, for administrators. */
export function serviceViews({ baseUrl }: Pick<PublicContext, 'baseUrl'>) {
  return services.map(({ type, name }) => ({
    id: stableId(type),
    type,
    name,
    description: '',
    enabled: true,
    links: { self: `${baseUrl}/v3/services/${stableId(type)}` },
  }))
}

/** The endpoints of the catalog as a list of their own, for administrators. */
export function endpointViews({
  baseUrl,
  publicUrl,
}: Pick<PublicContext, 'baseUrl' | 'publicUrl'>) {
  return services.flatMap(({ type, path }) =>
    endpointsOf(type, publicUrl + path).map(endpoint => ({
      ...endpoint,
      service_id: stableId(type),
      enabled: true,
      links: { self: `${baseUrl}/v3/endpoints/${endpoint.id}` },
    })),
  )
}

function endpointsOf(type: string, url: string) {
  return interfaces.map(side => ({
    id: stableId(`${type} ${side}`),
    interface: side,
    region,
    region_id: region,
    url,
  }))
}

/** An id that is the same on every start, since the catalog is not stored. */
function stableId(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
