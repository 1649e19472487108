import t, { type Test } from 'tap'
import { Bulk } from '../../../src/bulk/bulk.ts'
import { readTransfer, type TransferReading } from '../../../src/bulk/read-transfer.ts'
import { ednsOptions, rcodes, types } from '../../../src/dns/codes.ts'
import { parseName } from '../../../src/dns/name.ts'
import { AxfrClient, type TransferPace } from '../../../src/transport/outbound/axfr.ts'
import type { MasterTimeouts } from '../../../src/transport/outbound/master-connection.ts'
import type { Reach } from '../../../src/transport/outbound/reach.ts'
import type { TransferLimits, TransferResult } from '../../../src/zone/transfer-in.ts'
import { anywhere, anywhereForAll } from '../../helpers/reach.ts'
import { honestScript, type MasterScript, ScriptedMaster } from '../../helpers/scripted-master.ts'
import { linesOfCopy, noQuota, recordsFromText } from '../../helpers/transfer.ts'

const zone = parseName('example.')
const soa = '@ 300 SOA ns.example. host.example. 7 60 30 600 60'
const zoneText = `${soa}\n@ 300 NS ns\nns 300 A 192.0.2.1\nwww 60 A 192.0.2.2`
const records = recordsFromText(zone, zoneText)
const honest = honestScript(zone, zoneText)

const nowhere: Reach = {
  problemOf: (address, host) => `of no use to ${host === address ? 'anybody' : host}`,
  resolve: async () => ['127.0.0.1'],
}

type Setting = {
  readonly limits?: TransferLimits
  readonly pace?: TransferPace
  readonly namedBy?: 'operator' | 'project'
  readonly hold?: (octets: number) => boolean
  readonly knownSerial?: number
  readonly host?: string
  readonly signal?: AbortSignal
  readonly timeouts?: Partial<MasterTimeouts>
}

async function transfer(
  t: Test,
  script: MasterScript,
  setting: Setting = {},
): Promise<TransferReading> {
  const master = await ScriptedMaster.start(t, script, setting.host)
  return ask(master.address, setting)
}

async function ask(
  master: { host: string; port: number },
  setting: Setting = {},
): Promise<TransferReading> {
  const result = await receive(master, setting)
  return result.kind === 'received' ? readTransfer(result.transfer) : result
}

function receive(
  master: { host: string; port: number },
  setting: Setting = {},
): Promise<TransferResult> {
  const client = new AxfrClient({
    randomWord: () => 0xabcd_0000 + 4711,
    limits: setting.limits ?? { maxRecords: 100, maxOctets: 20_000 },
    // Only who waits for silence should not wait for long: a busy machine is slow as well.
    timeouts: { messageMs: 60_000, ...setting.timeouts },
    ...(setting.pace && { pace: setting.pace }),
    reaches: { operator: anywhere, project: nowhere },
  })
  const { namedBy = 'operator' } = setting
  const { knownSerial, signal = new AbortController().signal, hold = () => true } = setting
  return client.transfer({ zone, master, namedBy, knownSerial, quota: noQuota, hold }, signal)
}

/** Answers the SOA query well and leaves AXFR to `script`. */
function afterSoa(script: MasterScript): MasterScript {
  return turn => (turn.type === types.SOA ? honest(turn) : script(turn))
}

for (const host of ['127.0.0.1', '::1']) {
  t.test(`a zone comes from a master at ${host}`, async t => {
    const result = await transfer(t, honest, { host })
    if (result.kind !== 'read') throw new Error(JSON.stringify(result))
    t.equal(result.copy.soa.serial, 7)
    t.equal(linesOfCopy(result.copy).length, 4)
  })
}

t.test('what was received can be given to a thread, and is read there', async t => {
  const many = Array.from({ length: 200 }, (_, i) => `h${i} 60 TXT ${'x'.repeat(200)}`)
  const bulk = new Bulk({ maxThreads: 1 })
  t.teardown(() => bulk.close())
  const all = [...records, ...recordsFromText(zone, many.join('\n')), ...records.slice(0, 1)]
  const script = afterSoa(turn => {
    for (let at = 0; at < all.length; at += 20) turn.reply({ records: all.slice(at, at + 20) })
  })
  const { address } = await ScriptedMaster.start(t, script)
  const limits = { maxRecords: 1000, maxOctets: 100_000 }
  const result = await receive(address, { limits })
  if (result.kind !== 'received') throw new Error(JSON.stringify(result))
  t.match(await bulk.readTransfer(result.transfer, 'one'), { copy: { recordsetCount: 204 } })
  const { pieces } = result.transfer
  t.ok(
    pieces.every(({ buffer }) => buffer instanceof SharedArrayBuffer),
    'their memory is shared',
  )
})

t.test('a master may be named by host name', async t => {
  const master = await ScriptedMaster.start(t, honest)
  t.match(await ask({ host: 'localhost', port: master.address.port }), { kind: 'read' })
})

t.test('EXPIRE is asked for, and not where the master knows no EDNS', async t => {
  const soa = records.slice(0, 1)
  const edns = (octets: number[]) => ({
    payloadOctets: 1232,
    extendedRcode: 0,
    version: 0,
    isDnssecOk: false,
    options: [{ code: ednsOptions.expire, octets: Uint8Array.from(octets) }],
  })
  const rows: [script: MasterScript, expected: object, asked: number][] = [
    [turn => turn.reply({ records: soa, edns: edns([0, 0, 1, 2]) }), { expireSeconds: 258 }, 1],
    [turn => turn.reply({ records: soa, edns: edns([1]) }), { expireSeconds: undefined }, 1],
    [
      turn => (turn.hasEdns ? turn.reply({ records: [], rcode: rcodes.formErr }) : honest(turn)),
      { expireSeconds: undefined },
      2,
    ],
  ]
  for (const [script, expected, asked] of rows) {
    const master = await ScriptedMaster.start(t, script)
    const client = new AxfrClient({ randomWord: () => 7, reaches: anywhereForAll })
    const request = { zone, master: master.address, namedBy: 'operator' as const }
    const verdict = await client.askSerial(request, new AbortController().signal)
    t.match(verdict, { kind: 'serial', serial: 7, ...expected })
    t.equal(master.asked.length, asked)
  }
  const master = await ScriptedMaster.start(t, turn =>
    turn.type === types.SOA ? turn.reply({ records: soa, edns: edns([0, 0, 1, 2]) }) : honest(turn),
  )
  t.match(await receive(master.address), { kind: 'received', expireSeconds: 258 })
  t.match(await receive(master.address, { knownSerial: 7 }), {
    kind: 'current',
    expireSeconds: 258,
  })
})

t.test('the serial can be asked by itself', async t => {
  const { address } = await ScriptedMaster.start(t, honest)
  const client = new AxfrClient({
    randomWord: () => 7,
    reaches: { operator: anywhere, project: nowhere },
  })
  const { signal } = new AbortController()
  const askOf = (namedBy: 'operator' | 'project') =>
    client.askSerial({ zone, master: address, namedBy }, signal)
  t.strictSame(await askOf('operator'), { kind: 'serial', serial: 7 })
  t.match(await askOf('project'), { kind: 'failed', failure: { kind: 'refused-address' } })
})

t.test('the serial is asked first, and the zone only where that is newer (RFC 1982)', async t => {
  const rows: readonly [known: number | undefined, kind: string, asked: number[]][] = [
    [undefined, 'read', [types.SOA, types.AXFR]],
    [6, 'read', [types.SOA, types.IXFR]],
    [0xffff_ffff, 'read', [types.SOA, types.IXFR]],
    [7, 'current', [types.SOA]],
    [8, 'failed', [types.SOA]],
  ]
  for (const [knownSerial, kind, asked] of rows) {
    const master = await ScriptedMaster.start(t, honest)
    const setting = knownSerial === undefined ? {} : { knownSerial }
    t.equal((await ask(master.address, setting)).kind, kind, `known ${knownSerial}`)
    t.strictSame(master.asked, asked)
  }
})

t.test(
  'what has changed is asked for with the serial at hand, and taken in any number of messages',
  async t => {
    const older = recordsFromText(zone, soa.replace(' 7 ', ' 5 '))
    const [newer] = records
    const gone = recordsFromText(zone, 'old 60 A 192.0.2.9')
    const come = recordsFromText(zone, 'new 60 A 192.0.2.10')
    const response = [newer!, ...older, ...gone, newer!, ...come, newer!]
    for (const size of [1, 2, 4, 6]) {
      const serials: unknown[] = []
      const script = afterSoa(turn => {
        serials.push(turn.serial)
        for (let at = 0; at < response.length; at += size)
          turn.reply({ records: response.slice(at, at + size) })
      })
      const result = await transfer(t, script, { knownSerial: 5 })
      t.match(result, { kind: 'difference', difference: { fromSerial: 5, soa: { serial: 7 } } })
      t.same(serials, [5])
    }
  },
)

t.test('a master that has no differences may say so in any way', async t => {
  const rows: readonly [MasterScript, kind: string][] = [
    [turn => turn.reply({ records: [], rcode: rcodes.notImp }), 'failed'],
    [turn => turn.reply({ records: [], rcode: rcodes.formErr, hasQuestion: false }), 'failed'],
    [turn => turn.reply({ records: [...records, ...records.slice(0, 1)] }), 'read'],
    [turn => turn.reply({ records: recordsFromText(zone, soa.replace(' 7 ', ' 5 ')) }), 'current'],
  ]
  for (const [script, kind] of rows)
    t.match(await transfer(t, afterSoa(script), { knownSerial: 5 }), { kind })
})

t.test('a master that hangs up on IXFR, or says no more, may still send the zone', async t => {
  const newer = records.slice(0, 1)
  const scripts: readonly [MasterScript, kind: string][] = [
    [turn => turn.socket.end(), 'closed'],
    [turn => turn.socket.resetAndDestroy(), 'closed'],
    [
      turn => {
        turn.reply({ records: newer })
        turn.socket.end(Uint8Array.of(1, 44, 7))
      },
      'closed',
    ],
    [turn => turn.reply({ records: newer }), 'silent'],
  ]
  for (const [script, kind] of scripts) {
    const master = await ScriptedMaster.start(t, afterSoa(script))
    const failed = { kind: 'failed', failure: { kind } }
    const timeouts = kind === 'silent' ? { messageMs: 100 } : {}
    const asked = await receive(master.address, { knownSerial: 5, timeouts })
    t.match(asked, { ...failed, isOfChanges: true })
    const whole = await receive(master.address, { timeouts })
    t.match(whole, failed)
    t.notOk('isOfChanges' in whole)
  }
  const gone = await receive({ host: '127.0.0.1', port: 1 }, { knownSerial: 5 })
  t.notOk('isOfChanges' in gone)
})

t.test('a zone that came in many messages and small segments is the same', async t => {
  const script = afterSoa(turn => {
    for (const record of [...records, ...records.slice(0, 1)]) turn.reply({ records: [record] })
  })
  const result = await transfer(t, script)
  t.ok(result.kind === 'read' && linesOfCopy(result.copy).length === 4)
})

const silence: MasterScript = () => undefined
const flood: MasterScript = turn => {
  turn.reply({ records: records.slice(0, 1) })
  const more = () => {
    for (let i = 0; i < 20 && !turn.socket.destroyed; i += 1) {
      turn.reply({ records: recordsFromText(zone, `h${i} 60 A 192.0.2.1`) })
    }
    if (!turn.socket.destroyed) setImmediate(more)
  }
  more()
}
const trickle: MasterScript = turn => {
  turn.raw(Uint8Array.of(0, 200))
  const timer = setInterval(() => turn.raw(Uint8Array.of(0)), 5)
  turn.socket.on('close', () => clearInterval(timer))
}
const dribble: MasterScript = turn => {
  turn.reply({ records: records.slice(0, 1) })
  const timer = setInterval(() => turn.reply({ records: [] }), 20)
  turn.socket.on('close', () => clearInterval(timer))
}

const hostile: readonly [what: string, script: MasterScript, kind: string, reason: RegExp][] = [
  [
    'that refuses',
    turn => turn.reply({ records: [], rcode: rcodes.refused }),
    'refused',
    /REFUSED/,
  ],
  [
    'that refuses only the transfer',
    afterSoa(turn => turn.reply({ records: [], rcode: rcodes.notAuth })),
    'refused',
    /NOTAUTH/,
  ],
  ['that says nothing', silence, 'silent', /no answer within 0\.1 s/],
  ['that says nothing after the serial', afterSoa(silence), 'silent', /no answer/],
  ['that sends an octet now and then', afterSoa(trickle), 'silent', /no answer within/],
  ['that sends for ever', afterSoa(flood), 'too-large', /larger than 100 records/],
  ['that hangs up', turn => turn.socket.end(), 'closed', /closed the connection/],
  ['that resets', turn => turn.socket.resetAndDestroy(), 'closed', /reset/],
  [
    'that hangs up in the midst of a message',
    afterSoa(turn => turn.socket.end(Uint8Array.of(0, 200, 1, 2, 3))),
    'closed',
    /before the end/,
  ],
  [
    'that leaves out the final SOA',
    afterSoa(turn => {
      turn.reply({ records })
      turn.socket.end()
    }),
    'closed',
    /before the end/,
  ],
  ['that sends rubbish', turn => turn.raw(Buffer.alloc(500, 7)), 'silent', /no answer/],
  [
    'that sends a rubbish message',
    turn => turn.raw(Buffer.alloc(500, 0)),
    'malformed',
    /malformed/,
  ],
  ['with another id', turn => turn.reply({ records, id: 1 }), 'mismatched', /id of another/],
  [
    'with another zone',
    turn => turn.reply({ records, zone: parseName('other.') }),
    'mismatched',
    /other\./,
  ],
  [
    'with a SOA in the middle',
    afterSoa(turn =>
      turn.reply({ records: [...records, ...recordsFromText(zone, 'x 1 SOA . . 7 1 1 1 1')] }),
    ),
    'not-a-transfer',
    /SOA of x\.example\./,
  ],
  [
    'with another class',
    afterSoa(turn => {
      const foreign = recordsFromText(zone, 'www 60 CLASS3 A \\# 4 c0000202')
      turn.reply({ records: [...records, ...foreign] })
    }),
    'not-a-transfer',
    /class 3/,
  ],
  [
    'with a zone that is none',
    afterSoa(turn => turn.reply({ records: [records[0]!, records[0]!] })),
    'unsound',
    /the zone has no NS/,
  ],
]

for (const [what, script, kind, reason] of hostile) {
  t.test(`a master ${what} gives a reason (${kind})`, async t => {
    const timeouts = kind === 'silent' ? { messageMs: 100 } : {}
    t.match(await transfer(t, script, { timeouts }), { kind: 'failed', failure: { kind, reason } })
  })
}

t.test('a master that is down gives a reason', async t => {
  const master = await ScriptedMaster.start(t, honest)
  const { address } = master
  await master.stop()
  t.match(await ask(address), {
    failure: { kind: 'unreachable', reason: 'connection refused' },
  })
})

t.test('a master that sends a little for ever is left in the end', async t => {
  const timeouts = { totalMs: 200 }
  t.match(await transfer(t, afterSoa(dribble), { timeouts }), {
    failure: { kind: 'silent', reason: /not done after 0\.2 s/ },
  })
})

t.test('a master that sends a record now and then is left before it is done', async t => {
  const script = afterSoa(turn => {
    turn.reply({ records: records.slice(0, 1) })
    const timer = setInterval(() => turn.reply({ records: records.slice(1, 2) }), 5)
    turn.socket.on('close', () => clearInterval(timer))
  })
  const setting = { pace: { windowMs: 30, minOctets: 10_000 } }
  t.match(await transfer(t, script, setting), {
    failure: { kind: 'silent', reason: /it sent \d+ octets in/ },
  })
})

t.test('a copy for which there is no room is left, and says so', async t => {
  const held: number[] = []
  const hold = (octets: number) => held.push(octets) < 2
  const script = afterSoa(turn => {
    turn.reply({ records })
    turn.reply({ records: records.slice(1) })
  })
  t.match(await transfer(t, script, { hold }), { failure: { kind: 'no-room' } })
  t.equal(held.length, 2)
})

t.test('a master at a refused address is not connected to, however it is written', async t => {
  const master = await ScriptedMaster.start(t, honest)
  for (const host of ['127.0.0.1', 'localhost']) {
    const named = { host, port: master.address.port }
    t.match(await ask(named, { namedBy: 'project' }), {
      failure: {
        kind: 'refused-address',
        reason: /^127.0.0.1 is of no use to (anybody|localhost)/,
      },
    })
  }
  t.strictSame(master.asked, [])
})

t.test('a transfer ends when this server has no more use for it', async t => {
  const stop = new AbortController()
  const script: MasterScript = () => stop.abort()
  t.match(await transfer(t, script, { signal: stop.signal }), { failure: { kind: 'closed' } })
})

t.test('a serial that went back between the two answers does not replace what we have', async t => {
  const older = recordsFromText(zone, soa.replace(' 7 ', ' 5 '))
  const script = afterSoa(turn => turn.reply({ records: [...older, records[1]!, ...older] }))
  t.match(await transfer(t, script, { knownSerial: 6 }), { failure: { kind: 'behind' } })
})
