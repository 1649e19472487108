import { type Static, Type } from 'typebox'
import type { Changes } from '../../model/changes.ts'
import type { DefaultPoolKeyDraft } from '../../service/pools/default-pool-keys.ts'
import { tsigKeyFields } from '../dns/tsig-keys.schema.ts'

const { name, algorithm, secret } = tsigKeyFields
const fields = { name, algorithm, secret }
const options = {
  title: 'tsigkey',
  examples: [{ name: 'secondaries', algorithm: 'hmac-sha256', secret: 'c2VjcmV0' }],
  additionalProperties: false,
} as const

/** Body of `POST /tsigkeys`. */
export const tsigKeyCreateSchema = Type.Object(fields, options)

/** Body of `PUT /tsigkeys/<id>`: what is left out stays. */
export const tsigKeyPutSchema = Type.Partial(
  Type.Object({ ...fields, id: Type.Unknown() }),
  options,
)

export function tsigKeyChangesFromBody({
  id: _,
  ...changes
}: Static<typeof tsigKeyPutSchema>): Changes<DefaultPoolKeyDraft> {
  return changes
}
