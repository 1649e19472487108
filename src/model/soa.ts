import { rnameOf } from './email.ts'
import type { SoaTimers, Zone } from './zone.ts'

/** The address in the SOA of a zone without one. */
export const managedEmail = 'hostmaster@example.com'

const minRefreshSeconds = 3500
const maxRefreshSeconds = 3600

/** Chooses the timers of a new PRIMARY zone. `random` is in [0, 1): refresh is spread so that zones of a pool that
 *  were created together are not all refreshed in the same second. */
export function newSoaTimers(random: number): SoaTimers {
  const spread = maxRefreshSeconds - minRefreshSeconds + 1
  return {
    refreshSeconds: minRefreshSeconds + Math.floor(random * spread),
    retrySeconds: 600,
    expireSeconds: 86_400,
    minimumSeconds: 3600,
  }
}

/** The value of the managed SOA record (RFC 1035 section 3.3.13): the pool's first name server is MNAME. */
export function soaText(
  zone: Pick<Zone, 'email' | 'serial' | 'soaTimers'>,
  firstNameserver: string,
): string {
  const { refreshSeconds, retrySeconds, expireSeconds, minimumSeconds } = zone.soaTimers
  const timers = `${refreshSeconds} ${retrySeconds} ${expireSeconds} ${minimumSeconds}`
  return `${firstNameserver} ${rnameOf(zone.email ?? managedEmail)} ${zone.serial} ${timers}`
}
