import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { formatRdata } from '../../src/dns/rdata/index.ts'
import { Appliance, type Endpoint } from '../helpers/appliance.ts'
import { queryUdp } from '../helpers/query.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { grantUpdates } from './update-key.ts'

// Dynamic updates by the tools of BIND and Knot, which write and sign messages and verify the answers with codecs of
// their own.

const run = promisify(execFile)
const server = await Appliance.start({ dataDirectory: serverFolder(t) })
t.teardown(() => server.stop())
await server.json('POST', '/v2/zones', { name: 'peer.example.', email: 'ops@example.com' })
const key = await grantUpdates(server, 'peer.example.', key => [
  { key, match: 'subdomain', name: 'hosts', types: ['A', 'TXT'] },
  { addresses: ['127.0.0.1'], match: 'subdomain', name: 'unsigned' },
])
const signing = ['-y', `${key.algorithm}:${key.name}:${key.secret}`]
const signingWrongly = ['-y', `${key.algorithm}:${key.name}:${Buffer.alloc(32).toString('base64')}`]

/** An update that a tool repeats is refused if the first one has invalidated its own prerequisites. */
const patience = { nsupdate: ['-t', '300', '-u', '60'], knsupdate: ['-t', '60'] } as const

for (const tool of ['nsupdate', 'knsupdate'] as const)
  for (const [transport, words] of [
    ['udp', []],
    ['tcp', ['-v']],
  ] as const) {
    /** Gives the tool commands; returns its complaints, which are empty on success. */
    const update = async (
      options: readonly string[],
      lines: readonly string[],
      { host, port }: Endpoint = server.endpoint(),
    ): Promise<string> => {
      const running = run(tool, [...words, ...patience[tool], ...options])
      const head = [`server ${host} ${port}`, 'zone peer.example.']
      running.child.stdin?.end([...head, ...lines, 'send', ''].join('\n'))
      return running.then(
        () => '',
        ({ stdout, stderr }) => `${stdout}${stderr}`,
      )
    }
    const host = `${tool}-${transport}.hosts.peer.example.`
    const unsigned = `${tool}-${transport}.unsigned.peer.example.`

    t.test(`${tool} over ${transport}`, async t => {
      t.test('signed: adds, replaces and deletes, each in one serial', async t => {
        const before = await serial()
        const added = [
          `update add ${host} 300 A 192.0.2.1`,
          `update add ${host} 300 A 192.0.2.2`,
          `update add ${host} 300 TXT "a b" c`,
        ]
        t.equal(await update(signing, added), '')
        t.same(await served(host), ['192.0.2.1', '192.0.2.2'])
        t.same(await served(host, types.TXT), ['"a b" "c"'])
        const replaced = [`update delete ${host} A`, `update add ${host} 300 A 192.0.2.3`]
        t.equal(await update(signing, replaced), '')
        t.same(await served(host), ['192.0.2.3'])
        t.equal(await update(signing, [`update delete ${host} A 192.0.2.3`]), '')
        t.same(await served(host), [])
        t.equal(await update(signing, [`update delete ${host}`]), '')
        t.same(await served(host, types.TXT), [])
        t.equal(await serial(), before + 4)
      })

      t.test('prerequisites: all five, held and not', async t => {
        const other = `other.${host}`
        t.equal(await update(signing, [`update add ${host} 300 A 192.0.2.1`]), '')
        const before = await serial()
        for (const [prerequisite, rcode] of [
          [`yxdomain ${other}`, 'NXDOMAIN'],
          [`nxdomain ${host}`, 'YXDOMAIN'],
          [`yxrrset ${host} TXT`, 'NXRRSET'],
          [`nxrrset ${host} A`, 'YXRRSET'],
          [`yxrrset ${host} A 192.0.2.9`, 'NXRRSET'],
        ] as const) {
          const lines = [`prereq ${prerequisite}`, `update add ${other} 300 A 192.0.2.2`]
          t.match(await update(signing, lines), rcode, prerequisite)
        }
        t.equal(await serial(), before)
        t.same(await served(other), [])
        const held = [
          `prereq yxdomain ${host}`,
          `prereq nxdomain ${other}`,
          `prereq yxrrset ${host} A`,
          `prereq nxrrset ${host} TXT`,
          `prereq yxrrset ${host} A 192.0.2.1`,
          `update add ${other} 300 A 192.0.2.2`,
        ]
        t.equal(await update(signing, held), '')
        t.same(await served(other), ['192.0.2.2'])
      })

      t.test('unsigned: by the address it comes from', async t => {
        const lines = [`update add ${unsigned} 300 A 192.0.2.1`]
        t.match(await update([], lines, server.endpoint(6)), 'REFUSED')
        t.same(await served(unsigned), [])
        t.equal(await update([], lines), '')
        t.same(await served(unsigned), ['192.0.2.1'])
      })

      t.test('refused: other names, other types, other secrets; all of it or nothing', async t => {
        const good = `update add new.${host} 300 A 192.0.2.1`
        const before = await serial()
        for (const [options, line, reason] of [
          [signing, 'update add www.peer.example. 300 A 192.0.2.1', 'REFUSED'],
          [signing, `update add ${host} 300 AAAA 2001:db8::1`, 'REFUSED'],
          [signing, 'update delete peer.example. NS', 'REFUSED'],
          [[], `update add ${unsigned} 300 A 192.0.2.2`, 'REFUSED'],
          [signingWrongly, `update add ${host} 300 A 192.0.2.2`, 'BADSIG'],
        ] as const)
          t.match(await update(options, [good, line]), reason, line)
        t.same(await served(`new.${host}`), [])
        t.equal(await serial(), before)
      })
    })
  }

// As its provider for RFC 2136 does: a transfer to see what is there, then a message for each name, in which the former values
// are deleted one by one before the new ones are added, and the same for the TXT that says whose the name is.
t.test('external-dns: lists by a signed AXFR, creates, updates and deletes', async t => {
  const attributes = { allow_transfer: `key:${key.name}` }
  const { zones } = await server.json<{ zones: readonly { id: string }[] }>('GET', '/v2/zones')
  await server.json('PATCH', `/v2/zones/${zones[0]?.id}`, { attributes })
  const { host, port } = server.endpoint()
  const send = async (...lines: readonly string[]) => {
    const running = run('nsupdate', signing)
    running.child.stdin?.end(
      [`server ${host} ${port}`, 'zone peer.example.', ...lines, 'send', ''].join('\n'),
    )
    await running
  }
  const listed = async () => {
    const words = [`@${host}`, '-p', String(port), ...signing, '+noall', '+answer']
    const { stdout } = await run('dig', [...words, 'peer.example.', 'AXFR'])
    const lines = stdout.split('\n').map(line => line.replaceAll(/\s+/g, ' '))
    return lines.filter(line => line.includes('app.hosts')).toSorted()
  }
  const [app, owner] = ['app.hosts.peer.example.', 'a-app.hosts.peer.example.']
  const heritage = '"heritage=external-dns,external-dns/owner=me"'
  await send(`update add ${app} 0 A 192.0.2.1`, `update add ${app} 0 A 192.0.2.2`)
  await send(`update add ${owner} 0 TXT ${heritage}`)
  t.same(await listed(), [
    `${owner} 0 IN TXT ${heritage}`,
    `${app} 0 IN A 192.0.2.1`,
    `${app} 0 IN A 192.0.2.2`,
  ])
  await send(
    ...['192.0.2.1', '192.0.2.2'].map(address => `update delete ${app} A ${address}`),
    `update add ${app} 300 A 192.0.2.3`,
  )
  await send(`update delete ${owner} TXT ${heritage}`, `update add ${owner} 300 TXT ${heritage}`)
  t.same(await listed(), [`${owner} 300 IN TXT ${heritage}`, `${app} 300 IN A 192.0.2.3`])
  await send(`update delete ${app} A 192.0.2.3`)
  await send(`update delete ${owner} TXT ${heritage}`)
  t.same(await listed(), [])
})

t.test('nsupdate finds the zone of a name by itself', async t => {
  const { host, port } = server.endpoint()
  const running = run('nsupdate', signing)
  const name = 'found.deep.hosts.peer.example.'
  running.child.stdin?.end(
    `server ${host} ${port}\nupdate add ${name} 300 A 192.0.2.7\nsend\nanswer\n`,
  )
  t.match((await running).stdout, /opcode: UPDATE, status: NOERROR/)
  t.same(await served(name), ['192.0.2.7'])
})

async function served(name: string, type: number = types.A): Promise<string[]> {
  const { answers } = await queryUdp(server.endpoint(), { name, type })
  return answers.map(({ type, rdata }) => formatRdata(type, rdata)).sort()
}

async function serial(): Promise<number> {
  const [soa = ''] = await served('peer.example.', types.SOA)
  return Number(soa.split(' ')[2])
}
