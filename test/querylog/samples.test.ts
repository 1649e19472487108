import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { parseName } from '../../src/dns/name.ts'
import { type Sample, Samples } from '../../src/querylog/samples.ts'

const zone = { id: 'z1', name: 'example.', projectId: 'p1' }

function sample(name: string, more: Partial<Sample> = {}): Sample {
  return {
    atMillis: 1000,
    weight: 1,
    zone,
    name: parseName(name),
    type: types.A,
    rcode: 0,
    client: '192.0.2.1',
    ...more,
  }
}

t.test('the most come first, each sample with its weight', async t => {
  const samples = new Samples()
  samples.add(sample('a.example.'))
  samples.add(sample('a.example.'))
  samples.add(sample('b.example.', { weight: 8, client: '192.0.2.2', rcode: 3 }))
  samples.add(sample('c.elsewhere.', { zone: undefined, type: 65_280, rcode: 5 }))
  t.same(
    samples.top(0, 2, () => true),
    {
      sinceMillis: 0,
      queries: 11,
      sampleCount: 4,
      zones: [{ zone, queries: 10 }],
      names: [
        { name: 'b.example.', type: 'A', queries: 8 },
        { name: 'a.example.', type: 'A', queries: 2 },
      ],
      clients: [
        { client: '192.0.2.2', queries: 8 },
        { client: '192.0.2.1', queries: 3 },
      ],
      types: [
        { type: 'A', queries: 10 },
        { type: 'TYPE65280', queries: 1 },
      ],
      rcodes: [
        { rcode: 'NXDOMAIN', queries: 8 },
        { rcode: 'NOERROR', queries: 2 },
      ],
    },
  )
})

t.test('what is older, forgotten or not to be seen is not counted', async t => {
  const samples = new Samples()
  samples.add(sample('a.example.', { atMillis: 100 }))
  samples.add(sample('b.example.', { atMillis: 200 }))
  samples.add(sample('c.example.', { atMillis: 300, zone: { ...zone, projectId: 'p2' } }))
  const names = (since: number) =>
    samples.top(since, 9, ({ zone }) => zone?.projectId === 'p1').names.map(({ name }) => name)
  t.same(names(0), ['a.example.', 'b.example.'])
  t.same(names(150), ['b.example.'])
  samples.forget(150)
  t.same(names(0), ['b.example.'])
})

t.test('where samples have made room for newer ones, they begin later', async t => {
  const samples = new Samples()
  for (let i = 0; i < 40_000; i += 1) samples.add(sample('a.example.', { atMillis: i }))
  const { sinceMillis, queries } = samples.top(0, 1, () => true)
  t.equal(queries, 32_768)
  t.equal(sinceMillis, 40_000 - 32_768)
})
