import t from 'tap'
import type { TappedQuery, TapReader } from '../../src/nameserver/tap-reader.ts'
import { Sampling } from '../../src/querylog/sampling.ts'

t.test('busy threads sample less, quiet ones everything', async t => {
  let queryCount = 0
  const tap = {
    sampledOf: 0,
    *take() {
      for (; queryCount >= tap.sampledOf; queryCount -= tap.sampledOf)
        yield { weight: tap.sampledOf } as TappedQuery
    },
  }
  let seen = 0
  const sampling = new Sampling({
    tap: tap as unknown as TapReader,
    readerCount: () => 1,
    onQuery: ({ weight }) => {
      seen += weight
    },
  })
  const round = (count: number) => {
    queryCount += count
    sampling.round()
    return tap.sampledOf
  }
  t.equal(round(20), 1)
  t.equal(round(30_000), 1024)
  t.equal(round(30_000), 1024)
  const [first, second] = [round(100), round(100)]
  t.same([first, second], [512, 256])
  for (let i = 0; i < 10; i += 1) round(20)
  t.equal(tap.sampledOf, 1)
  t.ok(seen > 60_000)
})
