import { Type } from 'typebox'
import { tsigAlgorithms, tsigScopes } from '../../model/tsig-key.ts'
import { uuidField } from './field-schemas.ts'

/** What is said of a key. */
export const tsigKeyFields = {
  name: Type.String({ minLength: 1, maxLength: 160 }),
  algorithm: Type.Enum([...tsigAlgorithms]),
  secret: Type.String({ minLength: 1, maxLength: 160, pattern: '^[\\x21-\\x7e]*$' }),
  scope: Type.Enum([...tsigScopes]),
  resource_id: uuidField,
}
