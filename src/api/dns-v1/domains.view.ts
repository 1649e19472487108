import type { Zone } from '../../model/zone.ts'
import { timesOf } from '../timestamps.ts'
import { groupUrl, type LinkContext } from './group-url.ts'

/** A zone as the older group shows it. */
export function domainView(zone: Zone): object {
  return {
    id: zone.id,
    name: zone.name,
    email: zone.email,
    ttl: zone.ttlSeconds,
    serial: zone.serial,
    description: zone.description,
    ...timesOf(zone),
  }
}

/** The address of a domain, also for requests without the prefix. */
export function domainUrl(context: LinkContext, id: string): string {
  return `${groupUrl(context)}/domains/${id}`
}
