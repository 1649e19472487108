import { Type } from 'typebox'
import { closed } from '../openapi/fields.ts'
import { writtenByServer } from './written-by-server.ts'

const name = Type.String()

/** Body of `POST /servers`. */
export const serverCreateSchema = closed(
  { name },
  { title: 'server', examples: [{ name: 'ns2.example.net.' }] },
)

/** Body of `PUT /servers/<id>`. */
export const serverPutSchema = closed(
  { name, ...writtenByServer },
  { title: 'server', examples: [{ name: 'ns3.example.net.' }] },
)
