import { type Static, Type } from 'typebox'
import type { ZoneTransferAcceptDraft } from '../../service/zones/zone-transfer-accepts.ts'
import { parseUuid } from '../parameters.ts'
import { uuidField } from './field-schemas.ts'

/** Body of `POST /zones/tasks/transfer_accepts`. */
export const transferAcceptCreateSchema = Type.Object(
  {
    key: Type.String({ maxLength: 160 }),
    zone_transfer_request_id: uuidField,
  },
  {
    title: 'zone_transfer_accept',
    examples: [
      { key: 'FF25FIBJ', zone_transfer_request_id: 'a86dba58-0043-4cc6-a1bb-69d5e86f3ca3' },
    ],
    additionalProperties: false,
  },
)

export function transferAcceptDraftFromBody(
  body: Static<typeof transferAcceptCreateSchema>,
): ZoneTransferAcceptDraft {
  const { key, zone_transfer_request_id: id } = body
  return { key, zoneTransferRequestId: parseUuid(id) ?? id }
}
