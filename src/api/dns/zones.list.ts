import type { Zone } from '../../model/zone.ts'
import type { Dnssec } from '../../service/dnssec/dnssec.ts'
import type { Zones } from '../../service/zones/zones.ts'
import type { ListAttributes } from './page-request.ts'

export type ZoneListServices = {
  readonly zones: Zones
  readonly dnssec: Pick<Dnssec, 'statusOf'>
}

/** What zones can be sorted and filtered by. */
export function zoneAttributes({ zones, dnssec }: ZoneListServices): ListAttributes<Zone> {
  const statusOf = (zone: Zone): string => zones.statusOf(zone)
  return {
    sortValues: {
      id: zone => zone.id,
      updated_at: zone => zone.updatedAt,
      name: zone => zone.name.toLowerCase(),
      tenant_id: zone => zone.projectId,
      serial: zone => zone.serial,
      ttl: zone => zone.ttlSeconds,
      status: statusOf,
    },
    filterValues: {
      name: zone => [zone.name],
      type: zone => [zone.type],
      email: zone => [zone.email],
      status: zone => [statusOf(zone)],
      dnssec_status: zone => [dnssec.statusOf(zone)],
      description: zone => [zone.description],
      ttl: zone => [zone.ttlSeconds],
      // A zone has many; each fits as `name:value`.
      attributes: zone =>
        Object.entries(zone.attributes).map(([name, value]) => `${name}:${value}`),
    },
  }
}
