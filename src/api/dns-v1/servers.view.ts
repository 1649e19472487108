import type { StoredNsRecord } from '../../model/pool.ts'
import { timesOf } from '../timestamps.ts'

/** A name server of a pool as the older group shows it. */
export function serverView(server: StoredNsRecord): object {
  return {
    id: server.id,
    name: server.hostname,
    ...timesOf(server),
  }
}
