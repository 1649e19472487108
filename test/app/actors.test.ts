import t from 'tap'
import { realFiles } from '../../src/durable/file-system.ts'
import { dumpLog } from '../../src/store/dump-log.ts'
import type { ApiClient } from '../helpers/api-client.ts'
import { memoryLog } from '../helpers/log.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { TcpClient } from '../helpers/tcp-client.ts'
import { until } from '../helpers/until.ts'
import { updateMessage } from '../helpers/update-message.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

// Every commit says who asked for it and how it came, and so do its events and the line of the request in the log.

type Line = {
  readonly actor: Readonly<Record<string, unknown>>
  readonly changes: readonly { collection: string; id: string; after?: { name?: string } }[]
}

async function imported(client: ApiClient, text: string): Promise<void> {
  const headers = { 'content-type': 'text/dns' }
  const { body } = await client.call('POST', '/v2/zones/tasks/imports', { body: text, headers })
  const path = `/v2/zones/tasks/imports/${body.id}`
  await until(
    () => client.get(path),
    answer => answer.body.status !== 'PENDING',
  )
}

t.test('each commit keeps its actor, whatever road it came', async t => {
  const dataDirectory = serverFolder(t)
  const log = memoryLog('info')
  const server = await startWholeServer(t, { dataDirectory, logger: log.logger })
  const { admin, anonymous } = server
  const projectId = await server.makeProject('club')
  const account = await server.makeAccount({ name: 'ann', projectId, role: 'member' })
  const ann = server.bearer(await server.login(account))

  const { body: zone } = await ann.post('/v2/zones', {
    name: 'club.example.',
    email: 'a@b.example',
  })
  const recordsets = `/v2/zones/${zone.id}/recordsets`
  await ann.post(recordsets, { name: 'v2.club.example.', type: 'A', records: ['192.0.2.1'] })
  const older = { name: 'v1.club.example.', type: 'A', data: '192.0.2.2' }
  t.equal((await ann.post(`/v1/domains/${zone.id}/records`, older)).status, 200)
  const { body: made } = await ann.post(
    `/identity/v3/users/${account.userId}/application_credentials`,
    {
      application_credential: { name: 'dns-01' },
    },
  )
  const { id, secret } = made.application_credential
  const rrset = { name: 'pdns.club.example.', type: 'A', ttl: 60, changetype: 'REPLACE' }
  const dialect = anonymous.with({ 'x-api-key': `${id}:${secret}` })
  const path = '/api/v1/servers/localhost/zones/club.example.'
  const rrsets = [{ ...rrset, records: [{ content: '192.0.2.3', disabled: false }] }]
  t.equal((await dialect.patch(path, { rrsets })).status, 204)
  const rules = [{ addresses: ['127.0.0.0/8'], match: 'zone' }]
  t.equal((await ann.put(`/v2/zones/${zone.id}/update_policy`, { rules })).status, 200)
  await imported(
    ann,
    '$ORIGIN imported.example.\n@ 60 SOA ns.example.net. ops.example.net. 1 3600 600 86400 300\nwww 60 A 192.0.2.5\n',
  )
  const [dns] = server.app.dns
  const changes = ['update.club.example. 60 A 192.0.2.4']
  if (dns === undefined) throw new Error('the server does not listen')
  const client = await TcpClient.connect(dns)
  await client.ask(updateMessage({ zone: 'club.example.', changes }))
  client.socket.destroy()
  await admin.patch(`/v2/quotas/${projectId}`, { zones: 3 })
  await server.app.close()

  const lines: Line[] = []
  for await (const line of dumpLog({ files: realFiles, directory: dataDirectory }))
    lines.push(JSON.parse(line))
  const actorOf = (name: string) =>
    lines.find(({ changes }) => changes.some(change => change.after?.name === name))?.actor
  const user = { id: account.userId, name: 'ann' }
  const request = { projectId, requestId: /^req-/, address: '127.0.0.1' }
  t.match(actorOf('club.example.'), { road: 'v2', user, ...request })
  t.match(actorOf('v2.club.example.'), { road: 'v2', user, ...request })
  t.match(actorOf('v1.club.example.'), { road: 'v1', user, ...request })
  const credential = { id, name: 'dns-01' }
  t.match(actorOf('pdns.club.example.'), { road: 'powerdns', user, credential, ...request })
  t.match(actorOf('imported.example.'), { road: 'import', user, ...request })
  t.match(actorOf('update.club.example.'), { road: 'update', projectId, address: '127.0.0.1' })
  const quota = lines.find(({ changes }) =>
    changes.some(({ collection }) => collection === 'quotas'),
  )
  t.match(quota?.actor, { road: 'v2', user: { name: 'admin' }, address: '127.0.0.1' })
  t.match(actorOf('default'), { road: 'system' }, 'the first pool')
  t.same(
    lines.filter(({ actor }) => actor === undefined),
    [],
  )
  const created = log.lines().find(({ req }) => req?.method === 'POST' && req.url === '/v2/zones')
  t.match(created, { user: 'ann', project: projectId })
})
