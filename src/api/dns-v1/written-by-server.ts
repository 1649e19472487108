import { Type } from 'typebox'

/** The fields of every resource that the server writes. Clients send back everything that they were shown; these fields are
 *  ignored, since they may have changed meanwhile. */
export const writtenByServer = {
  id: Type.Optional(Type.Unknown()),
  created_at: Type.Optional(Type.Unknown()),
  updated_at: Type.Optional(Type.Unknown()),
}
