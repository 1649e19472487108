import { Type } from 'typebox'
import { projectIdField } from './field-schemas.ts'

/** Body of `POST /zones/<id>/shares`. */
export const zoneShareCreateSchema = Type.Object(
  { target_project_id: projectIdField },
  {
    title: 'shared_zone',
    examples: [{ target_project_id: '4d74fe0d117340a498e2b00f62f7a520' }],
    additionalProperties: false,
  },
)
