import { Type } from 'typebox'
import { writtenByServer } from './written-by-server.ts'

const name = Type.String()

/** Body of `POST /servers`. */
export const serverCreateSchema = Type.Object(
  { name },
  { title: 'server', examples: [{ name: 'ns2.example.net.' }], additionalProperties: false },
)

/** Body of `PUT /servers/<id>`. */
export const serverPutSchema = Type.Object(
  { name, ...writtenByServer },
  { title: 'server', examples: [{ name: 'ns3.example.net.' }], additionalProperties: false },
)
