import { Type } from 'typebox'
import { projectIdField } from './field-schemas.ts'

/** Body of `POST /zones/<id>/shares`. */
export const zoneShareCreateSchema = Type.Object(
  { target_project_id: projectIdField },
  { title: 'shared_zone', additionalProperties: false },
)
