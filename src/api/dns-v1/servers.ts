import { Type } from 'typebox'
import type { StoredNsRecord } from '../../model/pool.ts'
import type { Servers } from '../../service/pools/servers.ts'
import { requestBody } from '../openapi/fields.ts'
import { type Route, route } from '../route.ts'
import { timesOf } from '../timestamps.ts'
import { serverAnswer, serversAnswer } from './answers.ts'
import { emptiedRoute } from './emptied.ts'
import { groupUrl } from './group-url.ts'
import { idParameter } from './id-parameter.ts'

const name = Type.String()

/** Body of `POST /servers`. */
export const serverCreateSchema = requestBody('server', { name }, { name: 'ns2.example.net.' })

const ignored = Type.Optional(Type.Unknown())

/** Body of `PUT /servers/<id>`: what else is shown is ignored. */
const serverPutSchema = requestBody(
  'server',
  { name, id: ignored, created_at: ignored, updated_at: ignored },
  { name: 'ns3.example.net.' },
)

/** The name servers of the default pool. */
export function serverRoutes(servers: Servers): readonly Route[] {
  return [
    route('GET /servers', {
      rule: 'manage_servers',
      summary: 'Lists name servers',
      answers: dialect => ({ 200: serversAnswer(dialect) }),
      async handler({ dialect }) {
        const views = servers.list().map(serverView)
        return { status: 200, body: dialect.keysServers ? { servers: views } : views }
      },
    }),
    route('POST /servers', {
      rule: 'manage_servers',
      summary: 'Adds a name server',
      answers: { 200: serverAnswer },
      refusals: ['duplicate_server', 'invalid_operation'],
      bodySchema: serverCreateSchema,
      async handler(context) {
        const server = await servers.create(context.body.name)
        const headers = { location: `${groupUrl(context)}/servers/${server.id}` }
        return { status: 200, headers, body: serverView(server) }
      },
    }),
    route('GET /servers/:server_id', {
      rule: 'manage_servers',
      summary: 'Shows a name server',
      answers: { 200: serverAnswer },
      refusals: ['server_not_found'],
      respond: context => serverView(servers.get(idParameter(context, 'server_id'))),
    }),
    route('PUT /servers/:server_id', {
      rule: 'manage_servers',
      summary: 'Renames a name server',
      answers: { 200: serverAnswer },
      refusals: ['server_not_found', 'duplicate_server'],
      bodySchema: serverPutSchema,
      async respond(context) {
        const id = idParameter(context, 'server_id')
        return serverView(await servers.rename(id, context.body.name))
      },
    }),
    emptiedRoute('DELETE /servers/:server_id', {
      rule: 'manage_servers',
      summary: 'Removes a name server',
      refusals: ['server_not_found', 'last_server_delete_not_allowed'],
      run: context => servers.delete(idParameter(context, 'server_id')),
    }),
  ]
}

/** A name server of a pool as the older group shows it. */
export function serverView(server: StoredNsRecord): object {
  return { id: server.id, name: server.hostname, ...timesOf(server) }
}
