import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { parseName } from '../../src/dns/name.ts'
import { honestScript, ScriptedMaster } from '../helpers/scripted-master.ts'
import { adminPassword, startWholeServer } from './whole-server.ts'

// A program on openstacksdk, the library under Ansible's modules, as Debian packages it.

const run = promisify(execFile)
const program = join(import.meta.dirname, 'openstacksdk', 'program.py')
const apex = parseName('copy.example.')
const copyText = `
  @ 300 SOA ns host 7 3600 600 86400 60
  @ 300 NS ns
  ns 300 A 192.0.2.1`

const zone = { name: 'sdk.example.', type: 'PRIMARY', email: 'ops@example.com', masters: [] }
const host = { name: 'www.sdk.example.', type: 'A', ttl: 30 }
const active = { status: 'ACTIVE', action: 'NONE' }
const created = { status: 'PENDING', action: 'CREATE' }
const updated = { status: 'PENDING', action: 'UPDATE' }

/** What the program tells of each step. */
const steps: readonly unknown[] = [
  ['created', { ...zone, ...created, ttl: 300 }],
  ['found', { ...zone, ...active, ttl: 300 }],
  ['updated', { ...zone, ...updated, ttl: 60, description: 'By name' }],
  ['set created', { ...host, ...created, records: ['192.0.2.2', '192.0.2.1'] }],
  ['set found', { ...host, ...active, records: ['192.0.2.2', '192.0.2.1'] }],
  ['set updated', { ...host, ...updated, records: ['192.0.2.9'] }],
  ['searched', ['www.sdk.example.']],
  ['set deleted', true, null],
  ['deleted', true, null, false],
  ['copy created', { name: 'copy.example.', type: 'SECONDARY', ...created }],
  ['copy found', { name: 'copy.example.', type: 'SECONDARY', ...active }],
  ['copy abandoned', null],
  ['all pages', 25, 25],
  ['all zones', ['sdk.example.']],
  ['refused', 409, 'Duplicate Zone'],
  ['over all zones', ['sdk.example.']],
  ['exported', 'COMPLETE', true],
  ['no export', 0, 0],
  ['address', { address: '192.0.2.80', ptrdname: 'www.example.', ttl: 60, ...active }],
]

type Projects = { readonly projects: readonly { readonly id: string }[] }

t.test('a program does what modules do by names, and what the service has besides', async t => {
  const { server } = await startWholeServer(t)
  const url = server.apiUrl
  const { projects } = await server.json<Projects>('GET', '/identity/v3/projects?name=admin')
  const lent = { region: 'RegionOne', address: '192.0.2.80', project_id: projects[0]?.id }
  const path = '/v2/reverse/floatingips'
  const { id } = await server.json<{ readonly id: string }>('POST', path, lent)
  await server.json('PATCH', `${path}/${id}`, { ptrdname: 'www.example.', ttl: 60 })
  const master = await ScriptedMaster.start(t, honestScript(apex, copyText))
  const { host, port } = master.address

  const { stdout } = await run('/usr/bin/python3', [program, `${host}:${port}`], {
    env: {
      PATH: '/usr/bin:/bin',
      OS_AUTH_URL: `${url}/identity/v3`,
      OS_USERNAME: 'admin',
      OS_PASSWORD: adminPassword,
      OS_PROJECT_NAME: 'admin',
      OS_USER_DOMAIN_NAME: 'Default',
      OS_PROJECT_DOMAIN_NAME: 'Default',
    },
  })
  const told = stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  t.match(told, steps)
  t.equal(told.length, steps.length)
})
