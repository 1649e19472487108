import { nsRecordsInOrder, type Pool } from '../../model/pool.ts'
import { formatTimestamp, formatTimestampOrNull } from '../timestamps.ts'
import type { ViewContext } from './zones.view.ts'

/** A pool as the API shows it. */
export function poolView(pool: Pool, context: ViewContext): object {
  return {
    id: pool.id,
    name: pool.name,
    description: pool.description,
    project_id: pool.projectId,
    attributes: pool.attributes,
    ns_records: nsRecordsInOrder(pool).map(({ hostname, priority }) => ({ hostname, priority })),
    created_at: formatTimestamp(pool.createdAt),
    updated_at: formatTimestampOrNull(pool.updatedAt),
    links: { self: poolUrl(context, pool.id) },
  }
}

/** The address of a pool. */
export function poolUrl({ baseUrl }: ViewContext, id: string): string {
  return `${baseUrl}/pools/${id}`
}
