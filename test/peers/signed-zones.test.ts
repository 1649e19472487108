import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ask, queryFor, replyFrom } from '../helpers/ask.ts'
import { startPeer } from '../helpers/peer-server.ts'
import { askedTypes, essence } from '../helpers/signed-answers.ts'
import { zonesFromText } from '../helpers/zone.ts'

// One zone signed by BIND's dnssec-signzone, with NSEC, NSEC3 and opt-out, answered by us and by Knot and BIND. Compared
// are the rcode, flags, the answer and the authority section but for the NS of positive answers. NSD 4.6 is left out: it
// adds NSEC and NSEC3 that no answer needs (behind a DNAME, at wildcards that are asked for by name).

const text = `$ORIGIN example.
$TTL 300
@ SOA ns hostmaster 1 7200 900 1209600 300
@ NS ns
ns A 192.0.2.1
a.b.ent A 192.0.2.2
*.wild TXT "w"
x.y.wild A 192.0.2.3
alias CNAME any.wild
out CNAME nothere
sec NS ns.sec
sec DS 1 13 2 ${'0'.repeat(63)}1
ns.sec A 192.0.2.4
ins NS ns.ins
ns.ins A 192.0.2.5
i2.deep NS ns
dn DNAME wild
mx MX 10 ns
`

const owners = [
  ...['', 'ns.', 'no.', 'ent.', 'b.ent.', 'a.b.ent.', 'x.ent.', 'q.wild.', 'q.r.wild.', '*.wild.'],
  ...['y.wild.', 'q.y.wild.', 'alias.', 'out.', 'sec.', 'q.sec.', 'ns.sec.', 'ins.', 'q.ins.'],
  ...['deep.', 'i2.deep.', 'z.i2.deep.', 'z.deep.', 'dn.', 'q.dn.', 'mx.', 'wild.', 'zzz.'],
]
for (const [way, options] of [
  ['NSEC', []],
  ['NSEC3', ['-3', 'aabb']],
  ['opt-out', ['-3', '-', '-A']],
] as const) {
  for (const kind of ['knot', 'bind'] as const) {
    t.test(`${kind} answers a zone signed with ${way} as we do`, async t => {
      const file = signedFile(t.testdir({ zone: text }), options)
      const zones = zonesFromText(file.replace(/\s+IN\s+/g, ' '))
      const probe = queryFor('example. SOA')
      const peer = await startPeer(kind, { zones: [{ apex: 'example.', text: file }], probe })
      t.teardown(() => peer.close())
      for (const owner of owners) {
        for (const isDnssecOk of [true, false]) {
          const found: object[] = []
          const wanted: object[] = []
          for (const type of askedTypes) {
            const question = `${owner}example. ${type}`
            const request = queryFor(question, { edns: { isDnssecOk } })
            found.push(essence(ask(zones, question, { edns: { isDnssecOk } })))
            wanted.push(essence(replyFrom(await peer.exchange(request))))
          }
          t.strictSame(found, wanted, `${owner}example. ${isDnssecOk ? 'with DO' : ''}`)
        }
      }
    })
  }
}

function signedFile(folder: string, options: readonly string[]): string {
  const run = (program: string, ...words: string[]) => execFileSync(program, words, { cwd: folder })
  run('dnssec-keygen', '-q', '-a', '13', '-f', 'KSK', 'example')
  const words = ['-q', '-z', '-S', '-O', 'full', ...options, '-o', 'example.', '-f', 'out', 'zone']
  run('dnssec-signzone', ...words)
  const lines = readFileSync(join(folder, 'out'), 'utf8').split('\n')
  return lines.filter(line => !line.startsWith(';')).join('\n')
}
