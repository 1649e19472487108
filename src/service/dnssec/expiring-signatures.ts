import { refreshSeconds } from '../../dnssec/policy.ts'
import { newStamp } from '../../model/stamped.ts'
import type { Zone } from '../../model/zone.ts'
import { everything } from '../../store/indexes.ts'
import type { Store, Transaction } from '../../store/store.ts'
import { forgetExpiring } from '../rules/zone-rows.ts'

/** Rows that a commit changes at most. */
const chunkSize = 200

type ExpirationSource = {
  readonly store: Store
  readonly nowMillis: () => number
  /** When the first signature of a zone expires, in seconds since the Unix epoch; undefined if that is not known. */
  readonly nearestExpiration: (zoneId: string) => number | undefined
}

/** Reports the signed zones whose signatures were not renewed in time, each once, until they are. */
export async function noteExpiring(source: ExpirationSource): Promise<void> {
  const { store } = source
  const changed = [...store.list('zones', 'signed', everything)].filter(
    zone =>
      (store.get('expiringSignatures', zone.id) === undefined) !==
      (expirationIfDue(zone, source) === undefined),
  )
  for (let at = 0; at < changed.length; at += chunkSize) {
    await store.commit(tx => {
      for (const { id } of changed.slice(at, at + chunkSize)) note(tx, id, source)
    })
  }
}

function note(tx: Transaction, zoneId: string, source: ExpirationSource): void {
  const zone = tx.get('zones', zoneId)
  const endsAt = zone?.dnssec && expirationIfDue(zone, source)
  if (zone === undefined || endsAt === undefined) forgetExpiring(tx, zoneId)
  else if (tx.get('expiringSignatures', zoneId) === undefined) {
    const { projectId, name: zoneName } = zone
    const nearestExpiration = endsAt * 1_000_000
    const row = { ...newStamp(tx), id: zoneId, projectId, zoneName, nearestExpiration }
    tx.put('expiringSignatures', row)
  }
}

/** When the first signature of a zone expires, in seconds, if half of the time that is left for its renewal has passed. */
function expirationIfDue(
  { id, soaTimers }: Zone,
  { nearestExpiration, nowMillis }: ExpirationSource,
): number | undefined {
  const endsAt = nearestExpiration(id)
  if (endsAt === undefined) return undefined
  const leftSeconds = endsAt - nowMillis() / 1000
  return leftSeconds < refreshSeconds(soaTimers.expireSeconds) / 2 ? endsAt : undefined
}
