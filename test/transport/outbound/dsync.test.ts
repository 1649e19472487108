import t from 'tap'
import { classes, opcodes, rcodes, types } from '../../../src/dns/codes.ts'
import { flags, opcodeOf } from '../../../src/dns/header.ts'
import type { Message } from '../../../src/dns/message.ts'
import { formatName, parseName } from '../../../src/dns/name.ts'
import { parseRdata } from '../../../src/dns/rdata/index.ts'
import { parseEndpoint } from '../../../src/model/masters.ts'
import { type DsyncOptions, dsyncNotifier } from '../../../src/transport/outbound/dsync.ts'
import { ExternalTargetClient } from '../../../src/transport/outbound/external-target-client.ts'
import { anywhereForAll } from '../../helpers/reach.ts'
import { replyTo, serverSaying } from '../../helpers/saying-server.ts'

function record(owner: string, type: number, text: string) {
  const rdata = parseRdata(type, text)
  return { owner: parseName(owner), type, class: classes.in, ttlSeconds: 60, rdata }
}

const soaOf = (zone: string) => record(zone, types.SOA, `ns.${zone} host.${zone} 1 2 3 4 5`)

/** Answers of a parent by name: DSYNC, or NXDOMAIN with the SOA of the zone. */
function parentAnswers(zone: string, records: Readonly<Record<string, readonly string[]>>) {
  return (request: Message) => {
    const name = formatName(request.questions[0]?.name ?? parseName('.'))
    const found = records[name]
    if (found !== undefined) {
      return [replyTo(request, { answers: found.map(text => record(name, types.DSYNC, text)) })]
    }
    const changes = { flags: flags.authoritative | rcodes.nxDomain, authorities: [soaOf(zone)] }
    return [replyTo(request, changes)]
  }
}

const askedOf = (requests: readonly Message[]) =>
  requests.map(({ questions: [asked] }) => `${formatName(asked!.name)} ${asked!.type}`)

/** What is notified for a zone whose parent answers so. */
async function notifiedBy(
  t: { teardown(step: () => void): void },
  answers: (request: Message) => readonly Uint8Array[],
  zone: string,
) {
  const { server, requests } = await serverSaying(t, answers)
  const notified: string[] = []
  const reach = { problemOf: () => undefined, resolve: async (host: string) => [`of ${host}`] }
  const options: DsyncOptions = {
    randomId: () => 7,
    reaches: { project: reach, operator: reach },
    parseServer: parseEndpoint,
    nameServersOf: async () => [],
    timeoutMs: 60_000,
    notify: async ({ host, port }, name) => {
      notified.push(`${host} ${port} ${formatName(name)}`)
      return true
    },
  }
  const given = { hosts: [`${server.host}:${server.port}`], namedBy: 'project' as const }
  const targets = await dsyncNotifier(options)(zone, given)
  return { asked: askedOf(requests), notified, targets }
}

t.test('the record for the child comes first (RFC 9859 section 4.1)', async t => {
  const answers = parentAnswers('example.', {
    'child._dsync.example.': ['CDS NOTIFY 5300 own.example.', 'CSYNC NOTIFY 5301 other.example.'],
    '_dsync.example.': ['CDS NOTIFY 53 all.example.'],
  })
  const { asked, notified, targets } = await notifiedBy(t, answers, 'child.example.')
  t.same(asked, ['child._dsync.example. 66'])
  t.same(notified, ['of own.example 5300 child.example.'])
  t.same(targets, [{ host: 'own.example', port: 5300, isAcknowledged: true }])
})

t.test('then what the parent has for all, however many labels above', async t => {
  const answers = parentAnswers('example.', { '_dsync.example.': ['CDS NOTIFY 53 all.example.'] })
  t.same(await notifiedBy(t, answers, 'a.b.example.'), {
    asked: ['a._dsync.b.example. 66', 'a.b._dsync.example. 66', '_dsync.example. 66'],
    notified: ['of all.example 53 a.b.example.'],
    targets: [{ host: 'all.example', port: 53, isAcknowledged: true }],
  })
})

t.test('nobody is notified where there is nothing that asks for it', async t => {
  const rows: [string, (request: Message) => readonly Uint8Array[]][] = [
    ['no DSYNC', parentAnswers('example.', {})],
    [
      'another scheme, another type, no port',
      parentAnswers('example.', {
        '_dsync.example.': [
          'CDS 128 53 a.example.',
          'CSYNC NOTIFY 53 a.example.',
          'CDS NOTIFY 0 a.example.',
          'CDS NOTIFY 53 .',
        ],
      }),
    ],
    ['REFUSED', request => [replyTo(request, { flags: rcodes.refused })]],
    [
      'no authority',
      request => [
        replyTo(request, {
          flags: 0,
          answers: [record('_dsync.example.', types.DSYNC, 'CDS NOTIFY 53 a.example.')],
        }),
      ],
    ],
    ['an SOA that is not above', parentAnswers('elsewhere.', {})],
  ]
  for (const [rule, answers] of rows) {
    const { targets } = await notifiedBy(t, answers, 'child.example.')
    t.same(targets, [], rule)
  }
})

t.test('at most four targets', async t => {
  const records = Array.from({ length: 9 }, (_, i) => `CDS NOTIFY 53 t${i}.example.`)
  const answers = parentAnswers('example.', { '_dsync.example.': records })
  const { notified } = await notifiedBy(t, answers, 'child.example.')
  t.equal(notified.length, 4)
})

t.test('a name that is too long to be looked up is not', async t => {
  const label = 'a'.repeat(60)
  const zone = `${[label, label, label, label].join('.')}.example.`
  const { asked, targets } = await notifiedBy(t, parentAnswers('example.', {}), zone)
  t.same([asked, targets], [[], []])
})

t.test('a NOTIFY of CDS is sent again until it is answered', async t => {
  const { server, requests } = await serverSaying(t, (request, attempt) =>
    attempt < 3 ? [] : [replyTo(request, { flags: rcodes.notAuth })],
  )
  const client = new ExternalTargetClient({
    randomId: () => 9,
    timeouts: { probeMs: 60_000, notifyMs: [50, 50, 60_000] },
    reaches: anywhereForAll,
  })
  const target = { ...server, namedBy: 'project' as const }
  const { signal } = new AbortController()
  const type = types.CDS
  const problem = await client.notify(target, parseName('child.example.'), { signal, type })
  t.equal(problem, 'it answers NOTAUTH')
  t.same(askedOf(requests), Array(3).fill('child.example. 59'))
  t.ok(requests.every(({ header }) => opcodeOf(header.flags) === opcodes.notify))
})
