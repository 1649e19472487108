import type { Servers } from '../../service/pools/servers.ts'
import { type Route, route } from '../route.ts'
import { serverAnswer, serversAnswer } from './answers.ts'
import { emptiedRoute } from './emptied.ts'
import { groupUrl } from './group-url.ts'
import { idParameter } from './id-parameter.ts'
import { serverCreateSchema, serverPutSchema } from './servers.schema.ts'
import { serverView } from './servers.view.ts'

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
