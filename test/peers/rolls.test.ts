import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { types } from '../../src/dns/codes.ts'
import { formatName } from '../../src/dns/name.ts'
import { parseRdata } from '../../src/dns/rdata/index.ts'
import { queryFor, replyFrom } from '../helpers/ask.ts'
import { ClockedAppliance } from '../helpers/clocked-appliance.ts'
import { startPeerProcess } from '../helpers/peer-process.ts'
import { exchange } from '../helpers/peer-server.ts'
import { replyTo, serverSaying } from '../helpers/saying-server.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'
import { delv, startUnbound } from '../helpers/validators.ts'

// A zone below one that BIND signs: its DS is handed over, its key rolled, and it goes insecure. Whatever a validator with an
// empty cache sees in between validates, or is insecure where there is no DS.

const run = promisify(execFile)
const parentApex = 'example.'
const apex = 'child.example.'
const host = '127.0.0.1'
const hourMillis = 3_600_000
const dayMillis = 24 * hourMillis

type View = {
  status: string
  ds: string[]
  keys: { tag: number; states: Record<string, string | null> }[]
  parent: {
    servers: { host: string; ds: string[]; error: string | null }[]
    notified: { host: string; acknowledged: boolean }[]
  } | null
  problems: string[]
}

async function startParent(t: Test, notifiedPort: number) {
  const peer = await startPeerProcess({
    name: 'bind',
    recipe: ({ folder, port }) => ({
      command: ['named', '-g', '-c', join(folder, 'peer.conf')],
      files: {
        'peer.conf': `
          options {
            directory "${folder}"; pid-file "${folder}/pid"; session-keyfile none; recursion no;
            listen-on port ${port} { ${host}; }; listen-on-v6 { none; }; notify no;
          };
          controls { };
          zone "${parentApex}" { type primary; file "${folder}/parent.zone"; allow-update { ${host}; };
            dnssec-policy default; };`,
        'parent.zone': [
          `$ORIGIN ${parentApex}`,
          '@ 60 IN SOA ns hostmaster 1 3600 600 86400 60',
          '@ 60 IN NS ns',
          `ns 60 IN A ${host}`,
          'child 60 IN NS ns.child',
          `ns.child 60 IN A ${host}`,
          `child._dsync 60 IN TYPE66 ${dsyncTo(notifiedPort)}`,
          '',
        ].join('\n'),
      },
    }),
    // Its keys are there before all is signed.
    isReady: async port =>
      (await dnskeysOf(port)).length > 0 && / RRSIG NSEC /.test(await denialOf(port)),
  })
  t.teardown(() => peer.close())
  return {
    port: peer.port,
    keys: await dnskeysOf(peer.port),
    /** As a registry does it for the child's CDS, or at its operators' request. */
    async setDs(ds: readonly string[]): Promise<void> {
      const lines = [
        `server ${host} ${peer.port}`,
        `zone ${parentApex}`,
        `update delete ${apex} DS`,
        ...ds.map(text => `update add ${apex} 60 DS ${text}`),
        'send',
        '',
      ]
      execFileSync('nsupdate', ['-v'], { input: lines.join('\n') })
    },
  }
}

/** CDS NOTIFY <port> localhost., which BIND of Debian 12 does not know by name. */
function dsyncTo(port: number): string {
  const rdata = parseRdata(types.DSYNC, `CDS NOTIFY ${port} localhost.`)
  return `\\# ${rdata.length} ${Buffer.from(rdata).toString('hex')}`
}

/** That the child has no DS, as the parent proves it. */
async function denialOf(port: number): Promise<string> {
  const words = [`@${host}`, '-p', `${port}`, apex, 'DS', '+dnssec', '+noall', '+authority']
  const { stdout } = await run('dig', words)
  return stdout.replaceAll(/\s+/g, ' ')
}

async function dnskeysOf(port: number): Promise<string[]> {
  try {
    const words = [`@${host}`, '-p', `${port}`, parentApex, 'DNSKEY', '+short', '+tries=1']
    const { stdout } = await run('dig', words)
    return stdout.split('\n').filter(line => line.startsWith('257'))
  } catch {
    return []
  }
}

t.test('a chain that validates from BIND to here, a CSK roll, and going insecure', async t => {
  // What the parent has for children to notify.
  const { server: registry, requests } = await serverSaying(t, request => [replyTo(request)])
  const parent = await startParent(t, registry.port)
  const nowMillis = Date.now() - 5 * dayMillis
  const server = await ClockedAppliance.start({ dataDirectory: serverFolder(t), nowMillis })
  t.teardown(() => server.kill())
  const draft = { name: apex, email: 'ops@example.net' }
  const { id } = await server.call<{ id: string }>('POST', '/v2/zones', { body: draft })
  const www = { name: `www.${apex}`, type: 'A', records: ['192.0.2.1'] }
  await server.call('POST', `/v2/zones/${id}/recordsets`, { body: www })
  const path = `/v2/zones/${id}/dnssec`
  const view = () => server.call<View>('GET', path)
  const judged = async () => {
    const trusted = { apex: parentApex, keys: parent.keys, server: { host, port: parent.port } }
    const unbound = await startUnbound({ ...trusted, children: [{ apex, server: server.dns }] })
    const { rcode, isValid } = await unbound.ask(`www.${apex} A`)
    const [said = ''] = await delv(t.testdir(), { ...trusted, server: unbound.endpoint }, [
      `www.${apex} A`,
    ])
    await unbound.close()
    return { rcode, isValid, said }
  }
  const secure = async (when: string) => {
    const { isValid, said } = await judged()
    t.ok(isValid, `unbound ${when}`)
    t.match(said, /fully validated/, `delv ${when}`)
  }
  const insecure = async (when: string) => {
    const { rcode, isValid } = await judged()
    t.same({ rcode, isValid }, { rcode: 'NOERROR', isValid: false }, `unbound ${when}`)
  }
  const pass = async (hours: number) => {
    for (let left = hours * 4; left > 0; left -= 1) {
      await server.advance(hourMillis / 4)
      await server.run('roll-keys')
    }
  }

  const body = { parent_servers: [`${host}:${parent.port}`] }
  await server.call('PUT', path, { body })
  await until(view, ({ status }) => status === 'SIGNED')
  await insecure('before there is a DS')
  await pass(4)
  const asked = await view()
  t.equal(asked.keys[0]?.states.ds, 'RUMOURED')
  await until(view, ({ parent }) => parent?.notified[0]?.acknowledged === true)
  t.same(
    requests.slice(0, 1).map(({ questions: [asked] }) => [formatName(asked!.name), asked!.type]),
    [[apex, types.CDS]],
    'the parent is notified of the CDS',
  )
  const cds = replyFrom(await exchange(server.dns.port, queryFor(`${apex} CDS`)))
  t.equal(cds.answer.length, 1)
  await parent.setDs(asked.ds)
  await secure('with the DS')
  await pass(5)
  t.equal((await view()).keys[0]?.states.ds, 'OMNIPRESENT')

  await server.call('POST', `${path}/tasks/roll`, { body: { role: 'CSK' } })
  await secure('when a roll begins')
  await pass(5)
  await secure('when the new key signs')
  await parent.setDs((await view()).ds)
  await secure('with the new DS')
  await pass(8)
  const rolled = await view()
  t.equal(rolled.keys.length, 1)
  t.not(rolled.keys[0]?.tag, asked.keys[0]?.tag)
  t.same(rolled.problems, [])
  await secure('when the old key has gone')

  t.equal((await server.call<View>('DELETE', path)).status, 'UNSIGNING')
  await pass(8)
  await secure('while the parent has a DS')
  await parent.setDs([])
  await insecure('without a DS')
  await pass(5)
  t.equal((await view()).status, 'UNSIGNED')
  await insecure('when it is unsigned')
})
