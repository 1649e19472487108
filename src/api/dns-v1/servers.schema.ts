import { Type } from 'typebox'
import { requestBody } from '../openapi/fields.ts'
import { writtenByServer } from './written-by-server.ts'

const name = Type.String()

/** Body of `POST /servers`. */
export const serverCreateSchema = requestBody('server', { name }, { name: 'ns2.example.net.' })

/** Body of `PUT /servers/<id>`. */
export const serverPutSchema = requestBody(
  'server',
  { name, ...writtenByServer },
  { name: 'ns3.example.net.' },
)
