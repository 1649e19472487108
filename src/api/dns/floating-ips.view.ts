import type { FloatingIp } from '../../model/floating-ip.ts'
import type { Action } from '../../model/zone.ts'
import type { NamedAddress } from '../../service/pools/floating-ips.ts'
import { shownState } from './shown-state.ts'
import type { ViewContext } from './zones.view.ts'

/** An address as the API shows it; `change` is what the request did to its name. */
export function floatingIpView(
  { floatingIp, ptr, state }: NamedAddress,
  context: ViewContext,
  change: Action = 'NONE',
): object {
  const shown = state && shownState(state, context.dialect, change)
  return {
    id: keyOf(floatingIp),
    project_id: floatingIp.projectId,
    address: floatingIp.address,
    ptrdname: ptr?.records[0] ?? null,
    description: ptr?.description ?? null,
    ttl: ptr?.ttlSeconds ?? null,
    status: shown?.status ?? null,
    action: shown?.action ?? null,
    links: { self: floatingIpUrl(context, floatingIp) },
  }
}

/** The address of an address. */
export function floatingIpUrl({ baseUrl }: ViewContext, floatingIp: FloatingIp): string {
  return `${baseUrl}/reverse/floatingips/${keyOf(floatingIp)}`
}

function keyOf({ region, id }: FloatingIp): string {
  return `${region}:${id}`
}
