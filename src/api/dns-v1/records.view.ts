import { recordDraftOf } from '../../model/record-draft.ts'
import { recordIdOf } from '../../model/record-id.ts'
import type { RecordOfZone } from '../../service/recordsets/records.ts'
import { timesOf } from '../timestamps.ts'
import { domainUrl } from './domains.view.ts'
import type { LinkContext } from './group-url.ts'

/** A record as the older group shows it. */
export function recordView(record: RecordOfZone): object {
  const { recordset, mark, zone } = record
  const { name, type, data, priority, ttlSeconds, description } = recordDraftOf(recordset, record)
  return {
    id: recordIdOf(recordset, mark),
    domain_id: zone.id,
    name,
    type,
    data,
    priority,
    ttl: ttlSeconds,
    description,
    ...timesOf(mark),
  }
}

/** A record as lists show it. */
export function listedRecordView(record: RecordOfZone): object {
  return { ...recordView(record), tenant_id: record.projectId, version: record.mark.version }
}

/** The address of a record. */
export function recordUrl({ recordset, mark, zone }: RecordOfZone, context: LinkContext): string {
  return `${domainUrl(context, zone.id)}/records/${recordIdOf(recordset, mark)}`
}
