import type { StoredNsRecord } from '../../model/pool.ts'
import { formatTimestamp, formatTimestampOrNull } from '../timestamps.ts'

/** A name server of a pool as the older group shows it. */
export function serverView({ id, hostname, createdAt, updatedAt }: StoredNsRecord): object {
  return {
    id,
    name: hostname,
    created_at: formatTimestamp(createdAt),
    updated_at: formatTimestampOrNull(updatedAt),
  }
}
