import t from 'tap'
import {
  createRateLimit,
  type RateLimitHandle,
  type RateLimitSettings,
  ResponseRateLimit,
  verdicts,
} from '../../src/nameserver/response-rate-limit.ts'
import { Dice } from '../helpers/dice.ts'

const settings: RateLimitSettings = { perSecond: 10, windowSeconds: 5, slip: 2, exempt: [] }

function handleOf(changes: Partial<RateLimitSettings> = {}): RateLimitHandle {
  const dice = new Dice(8)
  return createRateLimit({ ...settings, ...changes }, () => dice.below(2 ** 32))
}

const client = [192, 0, 2, 7]
const names = ['sent', 'truncated', 'dropped'] as const

type Judged = {
  from?: readonly number[]
  answer?: number
  nowSeconds?: number
  count: number
}

/** How many of so many responses are sent, truncated and dropped. */
function judge(limit: ResponseRateLimit, { count, ...rest }: Judged) {
  const { from = client, answer = 1, nowSeconds = 1000 } = rest
  const counts = { sent: 0, truncated: 0, dropped: 0 }
  const address = Uint8Array.from(from)
  for (let i = 0; i < count; i += 1) {
    const verdict = limit.judge(address, address.length, answer, nowSeconds)
    counts[names[verdict] ?? 'sent'] += 1
  }
  return counts
}

t.test('so many a second are sent; of the others every second one is truncated', async t => {
  const limit = new ResponseRateLimit(handleOf())
  t.same(judge(limit, { count: 10 }), { sent: 10, truncated: 0, dropped: 0 })
  t.same(judge(limit, { count: 11 }), { sent: 0, truncated: 5, dropped: 6 })
})

t.test('slip 0 truncates none, slip 1 all, slip 3 a third', async t => {
  const excess = (slip: number) => {
    const limit = new ResponseRateLimit(handleOf({ slip }))
    judge(limit, { count: 10 })
    return judge(limit, { count: 300 })
  }
  t.same(excess(0), { sent: 0, truncated: 0, dropped: 300 })
  t.same(excess(1), { sent: 0, truncated: 300, dropped: 0 })
  t.same(excess(3), { sent: 0, truncated: 100, dropped: 200 })
})

t.test('a network that was over by little is sent as many in the next second', async t => {
  const limit = new ResponseRateLimit(handleOf())
  judge(limit, { count: 13 })
  t.equal(judge(limit, { count: 20, nowSeconds: 1001 }).sent, 7, 'three were overdrawn')
})

t.test('one that goes on gets nothing until it has been quiet for the window', async t => {
  const limit = new ResponseRateLimit(handleOf())
  judge(limit, { count: 10_000 })
  for (let second = 1; second <= 20; second += 1) {
    t.equal(judge(limit, { count: 1000, nowSeconds: 1000 + second }).sent, 0)
  }
  t.equal(judge(limit, { count: 1, nowSeconds: 1020 + 5 }).sent, 0)
  t.equal(judge(limit, { count: 100, nowSeconds: 1025 + 6 }).sent, 10)
})

t.test('what is not used is not saved up', async t => {
  const limit = new ResponseRateLimit(handleOf())
  judge(limit, { count: 1 })
  t.equal(judge(limit, { count: 100, nowSeconds: 5000 }).sent, 10)
})

t.test('another answer, and another network, have accounts of their own', async t => {
  const limit = new ResponseRateLimit(handleOf())
  judge(limit, { count: 1000 })
  t.equal(judge(limit, { count: 100, answer: 2 }).sent, 10)
  t.equal(judge(limit, { count: 100, from: [192, 0, 3, 7] }).sent, 10)
})

t.test('a network is 24 bits of an IPv4 and 56 of an IPv6 address', async t => {
  const limit = new ResponseRateLimit(handleOf())
  const ipv6 = (at: number, octet: number) =>
    Array.from({ length: 16 }, (_, i) => (i === at ? octet : 1))
  judge(limit, { count: 10 })
  t.equal(judge(limit, { count: 1, from: client.with(3, 8) }).sent, 0)
  judge(limit, { count: 10, from: ipv6(7, 1) })
  t.equal(judge(limit, { count: 1, from: ipv6(7, 2) }).sent, 0)
  t.equal(judge(limit, { count: 1, from: ipv6(6, 2) }).sent, 1)
})

t.test('exempt networks are always answered, to the bit', async t => {
  const exempt = [
    { octets: Uint8Array.from([192, 0, 2, 0]), bits: 25 },
    { octets: Uint8Array.from({ length: 16 }), bits: 0 },
  ]
  const limit = new ResponseRateLimit(handleOf({ exempt }))
  t.equal(judge(limit, { count: 500, from: [192, 0, 2, 127] }).sent, 500)
  t.equal(judge(limit, { count: 500, from: [192, 0, 2, 128] }).sent, 0, 'of the same account')
  t.equal(judge(limit, { count: 500, from: Array(16).fill(9) }).sent, 500)
})

t.test('threads share the accounts', async t => {
  const handle = handleOf()
  const [one, other] = [new ResponseRateLimit(handle), new ResponseRateLimit(handle)]
  t.equal(judge(one, { count: 6 }).sent + judge(other, { count: 50 }).sent, 10)
  t.equal(judge(other, { count: 6, nowSeconds: 1006 }).sent, 6)
  t.equal(judge(one, { count: 50, nowSeconds: 1005 }).sent, 4, 'its batch began a moment earlier')
})

t.test('networks without number do not take the place of those held back', async t => {
  const limit = new ResponseRateLimit(handleOf())
  judge(limit, { count: 1000 })
  const dice = new Dice(3)
  const others = () => [dice.below(256), dice.below(256), dice.below(256), 1]
  for (let i = 0; i < 300_000; i += 1) judge(limit, { count: 1, from: others() })
  t.equal(judge(limit, { count: 1 }).sent, 0)
  t.equal(handleOf().accounts.byteLength, 2 ** 22, 'and take no memory')
})

t.test('which networks meet is different with another secret', async t => {
  const tagOf = (seed: number) => {
    const dice = new Dice(seed)
    const handle = createRateLimit(settings, () => dice.below(2 ** 32))
    new ResponseRateLimit(handle).judge(Uint8Array.from(client), 4, 1, 5)
    return new Int32Array(handle.accounts).findIndex(word => word !== 0)
  }
  t.not(tagOf(1), tagOf(2))
  t.equal(verdicts.send, 0)
})
