import { Type } from 'typebox'
import { attributesField } from './field-schemas.ts'

/** Body of `POST /zones/tasks/imports`, where it is JSON and not the file itself. */
export const zoneImportSchema = Type.Object(
  { zonefile: Type.String({ minLength: 1 }), attributes: Type.Optional(attributesField) },
  { title: 'zone_import', additionalProperties: false },
)
