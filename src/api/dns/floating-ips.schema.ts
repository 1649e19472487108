import { type Static, Type } from 'typebox'
import type { FloatingIpDraft } from '../../model/floating-ip.ts'
import { descriptionField, projectIdField, ttlField } from './field-schemas.ts'

/** Body of `POST /reverse/floatingips`: our own request, in place of a network service that knows the addresses. The region has
 *  no colon, which would end it in the URL of the address. */
export const floatingIpCreateSchema = Type.Object(
  {
    region: Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$' }),
    address: Type.String(),
    project_id: projectIdField,
  },
  {
    title: 'floatingip',
    examples: [
      { region: 'North', address: '192.0.2.1', project_id: '4d74fe0d117340a498e2b00f62f7a520' },
    ],
    additionalProperties: false,
  },
)

/** Body of `PATCH /reverse/floatingips/<key>`; a name of null takes the name away. */
export const floatingIpPatchSchema = Type.Object(
  {
    ptrdname: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    description: Type.Optional(descriptionField),
    ttl: Type.Optional(ttlField),
  },
  {
    title: 'floatingip',
    examples: [{ ptrdname: 'mail.example.com.' }],
    additionalProperties: false,
  },
)

export function floatingIpDraftFromBody(
  body: Static<typeof floatingIpCreateSchema>,
): FloatingIpDraft {
  const { region, address, project_id: projectId } = body
  return { region, address, projectId }
}
