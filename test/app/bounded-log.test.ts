import { Writable } from 'node:stream'
import t from 'tap'
import { BoundedLog } from '../../src/app/bounded-log.ts'
import { createLogger } from '../../src/log.ts'
import { fakeClock } from '../helpers/clock.ts'

function openLog() {
  const lines: Record<string, unknown>[] = []
  const stream = new Writable({
    write(line, _encoding, done) {
      lines.push(JSON.parse(String(line)))
      done()
    },
  })
  const clock = fakeClock()
  const log = new BoundedLog(
    { clock, logger: createLogger({ level: 'info', stream }) },
    'login failed',
  )
  return { lines, clock, log }
}

const failure = { account: 'jo', peer: '192.0.2.1', reason: 'refused' } as const

t.test('a failed login is a warning with account and address', async t => {
  const { log, lines } = openLog()
  log.note(failure.peer, failure)
  t.match(lines, [{ level: 'warn', ...failure, msg: 'login failed' }])
})

t.test('a flood of them is thirty lines a minute, and the rest is counted', async t => {
  const { log, lines, clock } = openLog()
  for (let i = 0; i < 10_000; i++) log.note(`192.0.2.${i % 250}`, failure)
  t.equal(lines.length, 30)
  clock.advanceMillis(60_000)
  log.note(failure.peer, { ...failure, account: 'x'.repeat(10_000) })
  log.note(failure.peer, failure)
  t.equal(lines.length, 32)
  t.match(lines[30], { unloggedCount: 9_970, account: /^x{255}$/ })
  t.notOk('unloggedCount' in (lines[31] ?? {}))
})

t.test('a client that floods it keeps out no line of others', async t => {
  const { log, lines, clock } = openLog()
  for (let minute = 1; minute <= 2; minute += 1) {
    for (let i = 0; i < 1000; i++) log.note(`2001:db8::${i}`, { peer: 'one' })
    log.note('192.0.2.9', { peer: 'other' })
    t.equal(lines.length, minute * 11)
    t.match(lines.at(-1), { peer: 'other', unloggedCount: 990 })
    clock.advanceMillis(60_000)
  }
})

t.test('the name of a key is no secret', async t => {
  const { log, lines } = openLog()
  log.note('192.0.2.1', { keyName: 'acme' })
  t.match(lines, [{ keyName: 'acme' }])
})
