import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { formatRdata } from '../../src/dns/rdata/index.ts'
import { queryUdp } from '../helpers/query.ts'
import { grantUpdates } from './update-key.ts'
import { startWholeServer } from './whole-server.ts'

// Ansible's module for dynamic updates, which learns whether a record exists from updates that only have prerequisites. Those for
// OpenStack are tested with the library under them (`openstacksdk.test.ts`): Debian's Ansible refuses Debian's openstacksdk.

const run = promisify(execFile)
const playbook = join(import.meta.dirname, 'ansible', 'nsupdate.yml')
const zone = 'ansible.example.'

type Result = { readonly changed: boolean; readonly failed?: boolean }
type Report = {
  readonly plays: readonly {
    readonly tasks: readonly {
      readonly task: { readonly name: string }
      readonly hosts: { readonly localhost: Result }
    }[]
  }[]
}

t.test('a playbook changes what is not as it says, and nothing else', async t => {
  const { server, folder } = await startWholeServer(t)
  await server.json('POST', '/v2/zones', { name: zone, email: 'ops@example.com' })
  const { name, secret } = await grantUpdates(server, zone, key => [
    { key, match: 'subdomain', name: 'hosts', types: ['A', 'TXT'] },
  ])
  const { host, port } = server.endpoint()
  const variables = JSON.stringify({ host, port, key: name, secret })
  const { stdout } = await run(
    '/usr/bin/ansible-playbook',
    ['--inventory', 'localhost,', '--connection', 'local', '--extra-vars', variables, playbook],
    {
      env: {
        PATH: '/usr/bin:/bin',
        HOME: folder,
        LC_ALL: 'C.UTF-8',
        ANSIBLE_STDOUT_CALLBACK: 'json',
        ANSIBLE_PYTHON_INTERPRETER: '/usr/bin/python3',
      },
    },
  )
  const { plays } = JSON.parse(stdout) as Report
  const tasks = plays.flatMap(play => play.tasks)
  const reported = tasks.map(
    ({
      hosts: {
        localhost: { changed, failed },
      },
    }) => (failed === true ? 'failed' : changed ? 'changed' : 'ok'),
  )
  t.same(
    reported,
    tasks.map(({ task }) => task.name),
  )
  t.equal(reported.length, 10)
  const { answers } = await queryUdp(server.endpoint(), {
    name: `pc1.hosts.${zone}`,
    type: types.A,
  })
  t.same(
    answers
      .map(({ type, ttlSeconds, rdata }) => `${ttlSeconds} ${formatRdata(type, rdata)}`)
      .sort(),
    ['60 192.0.2.2', '60 192.0.2.3'],
  )
})
