import { type Static, Type } from 'typebox'
import {
  maxAttributeLength,
  maxNsPriority,
  maxNsRecords,
  maxPoolNameLength,
} from '../../model/limits.ts'
import type { PoolDraft, PoolPatch } from '../../model/pool-draft.ts'
import { closed, partly, requestBody } from '../openapi/fields.ts'
import { descriptionField, projectIdField } from './field-schemas.ts'
import { commonReadOnlyFields, readOnlyFields } from './read-only-fields.ts'

const optional = {
  description: descriptionField,
  tenant_id: Type.Union([projectIdField, Type.Null()]),
  provisioner: Type.Union([Type.String({ maxLength: 160 }), Type.Null()]),
  attributes: Type.Union([
    Type.Record(Type.String({ maxLength: 50 }), Type.String({ maxLength: maxAttributeLength }), {
      maxProperties: 50,
    }),
    Type.Null(),
  ]),
  ns_records: Type.Array(
    closed({
      hostname: Type.String(),
      priority: Type.Integer({ minimum: 1, maximum: maxNsPriority }),
    }),
    { maxItems: maxNsRecords },
  ),
}

const name = Type.String({ minLength: 1, maxLength: maxPoolNameLength })

/** Body of `POST /pools`. The project is `tenant_id` in the specification and `project_id` for Designate's clients. */
export const poolCreateSchema = requestBody(
  'pool',
  { name, ...partly({ ...optional, project_id: optional.tenant_id }) },
  { name: 'east', ns_records: [{ hostname: 'ns1.example.net.', priority: 1 }] },
)

/** Fields of a pool that can only be sent unchanged; `project_id` is changed as `tenant_id`. */
export const poolReadOnlyFields = [...commonReadOnlyFields, 'project_id'] as const

/** Body of `PATCH /pools/<id>`: a field that is given replaces the stored value, lists as a whole. */
export const poolPatchSchema = requestBody(
  'pool',
  { ...partly({ name, ...optional }), ...readOnlyFields(poolReadOnlyFields) },
  { attributes: { also_notify: '192.0.2.2:53' } },
)

export function poolDraftFromBody(body: Static<typeof poolCreateSchema>): PoolDraft {
  return {
    name: body.name,
    description: body.description ?? null,
    projectId: body.project_id ?? body.tenant_id ?? null,
    provisioner: body.provisioner ?? null,
    attributes: body.attributes ?? {},
    nsRecords: body.ns_records ?? [],
  }
}

export function poolPatchFromBody(body: Static<typeof poolPatchSchema>): PoolPatch {
  const { name, description, provisioner, tenant_id: projectId, ns_records: nsRecords } = body
  const attributes = body.attributes === null ? {} : body.attributes
  return { name, description, provisioner, projectId, nsRecords, attributes }
}
