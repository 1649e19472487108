import { Type } from 'typebox'
import {
  maxAttributeLength,
  maxAttributes,
  maxDescriptionLength,
  maxEmailLength,
  maxMasters,
  maxRecordLength,
  maxRecords,
  maxTtlSeconds,
} from '../../model/limits.ts'

// Fields that several bodies have. Null means the same as omitting a field, except where it removes a value in a change.

export const descriptionField = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  maxLength: maxDescriptionLength,
})

export const emailField = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  maxLength: maxEmailLength,
})

export const ttlField = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  minimum: 0,
  maximum: maxTtlSeconds,
})

export const zoneTypeField = Type.Enum(['PRIMARY', 'SECONDARY'])

export const mastersField = Type.Unsafe<readonly string[] | null>({
  type: ['array', 'null'],
  items: { type: 'string', maxLength: 300 },
  maxItems: maxMasters,
})

export const attributesField = Type.Record(
  Type.String({ maxLength: 50 }),
  Type.String({ maxLength: maxAttributeLength }),
  { maxProperties: maxAttributes },
)

/** In a change: null removes an attribute. */
export const attributesPatchField = Type.Record(
  Type.String({ maxLength: 50 }),
  Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: maxAttributeLength }),
  { maxProperties: 2 * maxAttributes },
)

/** Keystone's are 32 hexadecimal digits; another identity service may have any text of this length. */
export const projectIdField = Type.String({ minLength: 1, maxLength: 64 })

/** A UUID in any case, dashed or not; `canonicalId` gives its canonical form. */
export const uuidField = Type.String({ format: 'uuid' })

export const recordsField = Type.Array(Type.String({ maxLength: maxRecordLength }), {
  maxItems: maxRecords,
})
