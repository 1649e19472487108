import { Type } from 'typebox'
import { writtenByServer } from './written-by-server.ts'

const name = Type.String()

/** Body of `POST /servers`. */
export const serverCreateSchema = Type.Object(
  { name },
  { title: 'server', additionalProperties: false },
)

/** Body of `PUT /servers/<id>`. */
export const serverPutSchema = Type.Object(
  { name, ...writtenByServer },
  { title: 'server', additionalProperties: false },
)
