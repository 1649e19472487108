// Question: how many queries a second does the server take over TCP from clients that do not wait for one answer
//   before they ask again, what does an answer cost it in processor time, and what do 10,000 idle connections
//   cost, beside other name servers?
// Method: as `udp.ts`, with dnsperf over TCP: 20 connections, together 1,000 queries under way. Then connections
//   from 50 addresses of the loopback interface, each with one query answered, and the server's resident memory
//   before and while they are open.
// A good number: there is no system call for each query here, only for each segment, so an answer should cost less
//   than over UDP; 1.2 times what the best of the others takes. 10 kB for a connection.
//   With --tls all of it over TLS, beside BIND, the only one of the others here that answers over it; both with the same
//   kind of key. A good number: the extra cost of encryption over TCP is the same for all, so the ratio to BIND
//   shrinks and stays above 1; 50 kB for a connection, most of it OpenSSL's.
// Not measured: connections that come and go, a network in which segments are lost.
// Options: --rounds 5 --seconds 5 --names 100000 --connections 10000 --only zonewright,knot --tls

import { parseArgs } from 'node:util'
import { openConnections } from './load/connections.ts'
import { loadInRounds } from './load/rounds.ts'
import { formatComparison } from './report/comparison.ts'
import { machineLine } from './report/machine.ts'
import { allPeers, type ContenderName, ours, startContenders } from './servers/contenders.ts'
import type { RunningServer } from './servers/running.ts'

const serverCore = 0
const loadCore = 1

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    names: { type: 'string', default: '100000' },
    connections: { type: 'string', default: '10000' },
    only: { type: 'string' },
    tls: { type: 'boolean', default: false },
  },
})

const everybody: readonly ContenderName[] = values.tls
  ? [ours, 'bind']
  : [ours, ...allPeers, 'plain dns2']
const only = values.only?.split(',')

async function main(): Promise<void> {
  const contenders = await startContenders({
    names: everybody.filter(name => only?.includes(name) ?? true),
    nameCount: Number(values.names),
    queryCount: 200_000,
    core: serverCore,
    hasTls: values.tls,
  })
  const { servers, queryFile } = contenders
  try {
    const transport = values.tls ? 'dot' : 'tcp'
    const measured = await loadInRounds(servers, {
      load: { transport, core: loadCore, clients: 20, outstanding: 1000, queryFile },
      seconds: Number(values.seconds),
      rounds: Number(values.rounds),
    })
    console.log(`${formatComparison(measured, ours)}\n`)
    const own = servers.find(({ name }) => name === ours)
    if (own !== undefined) await measureIdle(own, Number(values.connections))
    console.log(machineLine())
  } finally {
    await contenders.close()
  }
}

async function measureIdle(server: RunningServer, count: number): Promise<void> {
  const before = server.residentOctets()
  const connections = await openConnections(server, count)
  const grown = server.residentOctets() - before
  const openCount = connections.openCount()
  connections.close()
  console.log(
    `${openCount} of ${count} idle connections: ${(grown / 1e6).toFixed(1)} MB more resident, ` +
      `${(grown / openCount / 1000).toFixed(1)} kB each\n`,
  )
}

await main()
