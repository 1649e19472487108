import { Type } from 'typebox'

/** What the server writes of every resource. Clients send back all that they were shown; it is not looked at, for
 *  it may have moved on since. */
export const writtenByServer = {
  id: Type.Optional(Type.Unknown()),
  created_at: Type.Optional(Type.Unknown()),
  updated_at: Type.Optional(Type.Unknown()),
}
