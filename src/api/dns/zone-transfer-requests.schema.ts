import { type Static, Type } from 'typebox'
import type {
  ZoneTransferRequestDraft,
  ZoneTransferRequestPatch,
} from '../../model/zone-transfer-request.ts'
import { descriptionField, projectIdField } from './field-schemas.ts'

const targetProjectField = Type.Union([projectIdField, Type.Null()])

/** Body of `POST /zones/<id>/tasks/transfer_requests`. */
export const transferRequestCreateSchema = Type.Object(
  {
    description: Type.Optional(descriptionField),
    target_project_id: Type.Optional(targetProjectField),
  },
  {
    title: 'zone_transfer_request',
    examples: [{ target_project_id: '4d74fe0d117340a498e2b00f62f7a520' }],
    additionalProperties: false,
  },
)

/** Body of `PATCH /zones/tasks/transfer_requests/<id>`. What is set once may be sent, but only unchanged. */
export const transferRequestPatchSchema = Type.Object(
  {
    description: Type.Optional(descriptionField),
    target_project_id: Type.Optional(targetProjectField),
    zone_id: Type.Optional(Type.String()),
  },
  {
    title: 'zone_transfer_request',
    examples: [{ description: 'for the shop' }],
    additionalProperties: false,
  },
)

export function transferRequestDraftFromBody(
  body: Static<typeof transferRequestCreateSchema>,
): ZoneTransferRequestDraft {
  return { description: body.description ?? null, targetProjectId: body.target_project_id ?? null }
}

export function transferRequestPatchFromBody(
  body: Static<typeof transferRequestPatchSchema>,
): ZoneTransferRequestPatch {
  const { description, target_project_id: targetProjectId, zone_id: zoneId } = body
  return { description, targetProjectId, zoneId }
}
