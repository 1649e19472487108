import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { adminToken } from '../helpers/appliance.ts'
import { startWholeServer } from './whole-server.ts'

// Programs that were written for PowerDNS's API, unmodified, as Debian's packages install them.

const run = promisify(execFile)

t.test('lexicon creates, lists, updates and deletes single records', async t => {
  const { server, folder } = await startWholeServer(t)
  await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  const lexicon = async (action: string, type: string, options: Record<string, string> = {}) => {
    const given = {
      'pdns-server': server.apiUrl,
      'auth-token': adminToken,
      output: 'JSON',
      ...options,
    }
    const words = Object.entries(given).flatMap(([name, value]) => [`--${name}`, value])
    const { stdout } = await run(
      '/usr/bin/lexicon',
      ['powerdns', ...words, action, 'example.com', type],
      {
        env: { PATH: '/usr/bin:/bin', HOME: folder },
      },
    )
    return JSON.parse(stdout)
  }
  const contents = async (type: string) => {
    const records: readonly { name: string; content: string }[] = await lexicon('list', type)
    return records.map(({ name, content }) => `${name} ${content}`).sort()
  }

  const www = { name: 'www' }
  t.equal(await lexicon('create', 'A', { ...www, content: '192.0.2.1' }), true)
  t.equal(await lexicon('create', 'A', { ...www, content: '192.0.2.2' }), true)
  t.same(await contents('A'), ['www.example.com 192.0.2.1', 'www.example.com 192.0.2.2'])
  const identifier = 'A/www.example.com.=192.0.2.1'
  t.equal(await lexicon('update', 'A', { ...www, content: '192.0.2.9', identifier }), true)
  t.same(await contents('A'), ['www.example.com 192.0.2.2', 'www.example.com 192.0.2.9'])
  t.equal(await lexicon('delete', 'A', www), true)
  t.same(await contents('A'), [])

  const challenge = { name: '_acme-challenge.www', content: 'token' }
  t.equal(await lexicon('create', 'TXT', challenge), true)
  t.equal(await lexicon('create', 'TXT', { ...challenge, content: 'other' }), true)
  t.equal(await lexicon('delete', 'TXT', challenge), true)
  t.same(await contents('TXT'), ['_acme-challenge.www.example.com other'])
})

t.test('a program on libcloud, whose requests have no content type', async t => {
  const { server } = await startWholeServer(t)
  const { hostname, port } = new URL(server.apiUrl)
  const program = join(import.meta.dirname, 'libcloud', 'program.py')
  const { stdout } = await run('/usr/bin/python3', [program, hostname, port, adminToken])
  const zone = 'libcloud.example.'
  t.same(
    stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line)),
    [
      ['created', zone, [zone]],
      ['record created', [['192.0.2.1', 300]]],
      ['record updated', [['192.0.2.2', 60]]],
      ['record deleted', true, []],
      ['deleted', true, []],
    ],
  )
})
