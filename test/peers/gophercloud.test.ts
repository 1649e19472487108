import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import type { Appliance } from '../helpers/appliance.ts'
import { adminPassword, startWholeServer } from './whole-server.ts'

// A program on gophercloud, the library of Terraform's provider and of most others, as Debian packages it. The
// library refuses statuses other than Designate's, answers without the bodies that it expects, and times in other
// forms.

const run = promisify(execFile)

const zone = { name: 'terraformed.example.', masters: [], attributes: { tier: 'gold' } }
const host = { name: 'www.terraformed.example.', type: 'A', description: 'The front door' }
const proof = { name: '_acme-challenge.terraformed.example.', type: 'TXT', ttl: 10 }
const created = { status: 'PENDING', action: 'CREATE', version: 1, isDated: true }
const updated = { status: 'PENDING', action: 'UPDATE', version: 2, isDated: true }
const active = { status: 'ACTIVE', action: 'NONE', isDated: true }

/** The program's report of each step. */
const steps: readonly unknown[] = [
  ['zone created', { ...zone, ...created, ttl: 300, hasSerial: true }],
  ['zone served', { ...zone, ...active, ttl: 300, hasSerial: true }],
  ['zone updated', { ...zone, ...updated, ttl: 600, description: 'Kept by a program' }],
  ['its update served', { ...zone, ...active, ttl: 600, description: 'Kept by a program' }],
  ['record set created', { ...host, ...created, ttl: 60, records: ['192.0.2.2', '192.0.2.1'] }],
  [
    'record set served',
    { ...host, ...active, ttl: 60, records: ['192.0.2.2', '192.0.2.1'] },
    { served: ['192.0.2.1', '192.0.2.2'] },
  ],
  ['record set updated', { ...host, ...updated, ttl: 30, records: ['192.0.2.9'] }],
  [
    'its update served',
    { ...host, ...active, ttl: 30, records: ['192.0.2.9'] },
    { served: ['192.0.2.9'] },
  ],
  ['record set gone', { served: [] }],
  ['proof created', { ...proof, ...created, records: ['first-text'] }],
  ['proof extended', { ...proof, ...updated, records: ['second-text', 'first-text'] }],
  ['proof served', ['second-text', 'first-text']],
  ['all pages', { sets: 45, names: 45 }],
  ['zone deleted', { ...zone, status: 'PENDING', action: 'DELETE' }],
  ['zone gone'],
]

t.test('zones and record sets are made, awaited, changed and removed', async t => {
  const { server, folder } = await startWholeServer(t)
  const program = await build(folder)
  const logins = {
    'with a password': {
      OS_USERNAME: 'admin',
      OS_PASSWORD: adminPassword,
      OS_DOMAIN_NAME: 'Default',
      OS_PROJECT_NAME: 'admin',
    },
    'with an application credential': await applicationCredential(server),
  }
  for (const [way, login] of Object.entries(logins)) {
    const { host, port } = server.endpoint()
    const { stdout } = await run(program, {
      env: {
        OS_AUTH_URL: `${server.apiUrl}/identity/v3`,
        OS_REGION_NAME: 'RegionOne',
        DNS_SERVER: `${host}:${port}`,
        ...login,
      },
    })
    const told = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    t.match(told, steps, way)
    t.equal(told.length, steps.length, way)
  }
})

/** Compiles the program with the packages that are installed and nothing else; returns its path. */
async function build(folder: string): Promise<string> {
  const program = join(folder, 'program')
  await run('/usr/bin/go', ['build', '-o', program, '.'], {
    cwd: join(import.meta.dirname, 'gophercloud'),
    env: {
      PATH: '/usr/bin:/bin',
      GOPATH: '/usr/share/gocode',
      GO111MODULE: 'off',
      GOCACHE: join(folder, 'cache'),
      // Without a C compiler, which the package of the Go compiler does not need.
      CGO_ENABLED: '0',
    },
  })
  return program
}

type Users = { readonly users: readonly { readonly id: string }[] }
type Made = { readonly application_credential: { readonly id: string; readonly secret: string } }

async function applicationCredential(server: Appliance): Promise<Readonly<Record<string, string>>> {
  const { users } = await server.json<Users>('GET', '/identity/v3/users?name=admin')
  const path = `/identity/v3/users/${users[0]?.id}/application_credentials`
  const body = { application_credential: { name: 'program' } }
  const { application_credential: credential } = await server.json<Made>('POST', path, body)
  return {
    OS_APPLICATION_CREDENTIAL_ID: credential.id,
    OS_APPLICATION_CREDENTIAL_SECRET: credential.secret,
  }
}
