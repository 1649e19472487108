import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { types } from '../../src/dns/codes.ts'
import { formatRdata } from '../../src/dns/rdata/index.ts'
import { parseEndpoint } from '../../src/model/masters.ts'
import { parentDsClient } from '../../src/transport/outbound/parent-ds.ts'
import { queryFor, replyFrom } from '../helpers/ask.ts'
import { depth } from '../helpers/depth.ts'
import { Dice } from '../helpers/dice.ts'
import { MonthsOfRolls, type ParentElsewhere } from '../helpers/months-of-rolls.ts'
import { startPeerProcess } from '../helpers/peer-process.ts'
import { exchange } from '../helpers/peer-server.ts'
import { anywhereForAll } from '../helpers/reach.ts'

// Keys of a zone are rolled for months, by our clock, below a parent in BIND that has CDS taken up late. The server and the
// test query BIND for the parent's records; the contents of caches of every age are validated each minute.

const run = promisify(execFile)
const host = '127.0.0.1'
const apex = 'child.example.com.'

async function startParent(t: Test): Promise<ParentElsewhere> {
  const ask = (port: number) => exchange(port, queryFor(`${apex} DS`))
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
          zone "example.com." { type primary; file "${folder}/parent.zone"; allow-update { ${host}; }; };`,
        'parent.zone': [
          '$ORIGIN example.com.',
          '@ 3600 IN SOA ns hostmaster 1 3600 600 86400 3600',
          '@ 3600 IN NS ns',
          `ns 3600 IN A ${host}`,
          'child 3600 IN NS ns.child',
          `ns.child 3600 IN A ${host}`,
          '',
        ].join('\n'),
      },
    }),
    isReady: port =>
      ask(port).then(
        response => replyFrom(response).flags.includes('aa'),
        () => false,
      ),
  })
  t.teardown(() => peer.close())
  const client = parentDsClient({
    randomId: () => 1,
    reaches: anywhereForAll,
    parseServer: parseEndpoint,
  })
  return {
    servers: [`${host}:${peer.port}`],
    ask: client,
    async ds() {
      const { message } = replyFrom(await ask(peer.port))
      const answers = message.answers.filter(({ type }) => type === types.DS)
      const [first] = answers
      return first && { ...first, rdatas: answers.map(({ rdata }) => rdata) }
    },
    async setDs(rdatas) {
      const added = rdatas.map(
        rdata => `update add ${apex} 3600 DS ${formatRdata(types.DS, rdata)}`,
      )
      const lines = [`server ${host} ${peer.port}`, 'zone example.com.', `update delete ${apex} DS`]
      const updated = run('nsupdate', ['-v'])
      updated.child.stdin?.end([...lines, ...added, 'send', ''].join('\n'))
      await updated
    },
  }
}

t.test('months of every roll below a parent in BIND: no cache ever has a bogus zone', async t => {
  const months = await MonthsOfRolls.open(new Dice(2), await startParent(t))
  await months.live(7 * depth)
  t.equal(months.status, 'UNSIGNED')
  t.ok(months.caches.comparedCount > 100, `${months.caches.comparedCount} sets of cached answers`)
  t.same(months.problems, [])
})
