import { createHash } from 'node:crypto'

/** A service as a token's catalog tells of it. */
type Service = { readonly type: string; readonly name: string; readonly path: string }

// Unversioned where clients discover versions themselves: gophercloud appends `v2/` to the dns endpoint.
const services: readonly Service[] = [
  { type: 'dns', name: 'designate', path: '/dns' },
  { type: 'rating', name: 'cloudkitty', path: '/rating' },
  { type: 'identity', name: 'keystone', path: '/identity/v3' },
]

const interfaces = ['public', 'internal', 'admin'] as const
const region = 'RegionOne'

/** What a token opens, and where it is. */
export function catalogView(publicUrl: string) {
  return services.map(({ type, name, path }) => ({
    id: stableId(type),
    type,
    name,
    endpoints: interfaces.map(side => ({
      id: stableId(`${type} ${side}`),
      interface: side,
      region,
      region_id: region,
      url: `${publicUrl}${path}`,
    })),
  }))
}

/** An id that is the same on every start, as nothing of the catalog is stored. */
function stableId(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
