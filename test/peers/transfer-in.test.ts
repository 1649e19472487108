import t from 'tap'
import { readTransfer } from '../../src/bulk/read-transfer.ts'
import { parseName } from '../../src/dns/name.ts'
import { AxfrClient } from '../../src/transport/outbound/axfr.ts'
import type { TransferResult } from '../../src/zone/transfer-in.ts'
import { type PeerPrimary, startPeer } from '../helpers/peer-primary.ts'
import { peerNames } from '../helpers/peer-recipes.ts'
import { anywhereForAll } from '../helpers/reach.ts'
import { linesOfCopy, noQuota } from '../helpers/transfer.ts'

// The servers people run as primaries, as masters of one zone with what is hard to carry: large sets, long
// texts, odd names, unknown types, and more than fits one message.

const zone = parseName('example.')

const lines = [
  'example. 300 SOA ns.example. host.example. 7 3600 600 86400 60',
  'example. 300 NS ns.example.',
  'ns.example. 300 A 192.0.2.1',
  '*.wild.example. 60 TXT "any"',
  'a\\.dot.example. 60 A 192.0.2.2',
  'only.deep.below.example. 60 AAAA 2001:db8::1',
  'sub.example. 60 NS ns.sub.example.',
  'ns.sub.example. 60 A 192.0.2.3',
  `long.example. 60 TXT "${'x'.repeat(255)}" "${'y'.repeat(255)}" "\\255\\000"`,
  'odd.example. 60 TYPE65400 \\# 3 010203',
  'srv.example. 60 SRV 1 2 3 ns.example.',
  'caa.example. 60 CAA 0 issue "ca.example"',
  'web.example. 60 HTTPS 1 . alpn=h2,h3',
  // BIND takes no more by default.
  ...Array.from({ length: 100 }, (_, i) => `large.example. 60 A 198.51.100.${i}`),
  ...Array.from({ length: 5000 }, (_, i) => `host-${i}.example. 60 A 203.0.113.${i % 250}`),
]
const zoneText = `${lines.map(line => line.replace(/^(\S+ \d+) /, '$1 IN ')).join('\n')}\n`

const client = new AxfrClient({
  randomWord: () => Math.floor(Math.random() * 2 ** 32),
  reaches: anywhereForAll,
})

function ask(master: PeerPrimary, knownSerial?: number): Promise<TransferResult> {
  return client.transfer(
    { zone, master, namedBy: 'operator', knownSerial, quota: noQuota, hold: () => true },
    new AbortController().signal,
  )
}

for (const name of peerNames) {
  t.test(`a zone comes from ${name} as it is there`, async t => {
    const peer = await startPeer(t, { name, zoneText }, async master => {
      return (await ask(master, 7)).kind === 'current'
    })
    const result = await ask(peer)
    const read = result.kind === 'received' ? readTransfer(result.transfer) : result
    if (read.kind !== 'read') throw new Error(JSON.stringify(read))
    t.strictSame(linesOfCopy(read.copy).sort(), [...lines].sort())
    t.equal(read.copy.outsideCount, 0)
  })
}
