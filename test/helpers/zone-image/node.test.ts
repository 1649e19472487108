import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { parseName } from '../../../src/dns/name.ts'
import type { Rrset } from '../../../src/zone/rrset.ts'
import { ZoneNode } from './node.ts'

function rrset(type: number, ttlSeconds = 60): Rrset {
  return { type, ttlSeconds, rdatas: [new Uint8Array(1)] }
}

t.test('RRsets are kept ascending by type, one of each', async t => {
  const node = new ZoneNode(parseName('example.'), undefined)
  for (const type of [types.TXT, types.A, types.AAAA, types.MX]) node.put(rrset(type))
  node.put(rrset(types.MX, 90))
  t.same(
    node.rrsets.map(({ type }) => type),
    [types.A, types.MX, types.TXT, types.AAAA],
  )
  t.equal(node.find(types.MX)?.ttlSeconds, 90)
  t.equal(node.find(types.NS), undefined)
})

t.test('removing returns whether there was one', async t => {
  const node = new ZoneNode(parseName('example.'), undefined)
  node.put(rrset(types.A))
  t.equal(node.remove(types.TXT), false)
  t.equal(node.remove(types.A), true)
  t.equal(node.remove(types.A), false)
  t.same(node.rrsets, [])
})

t.test('a list handed out does not change under its reader', async t => {
  const node = new ZoneNode(parseName('example.'), undefined)
  node.put(rrset(types.A))
  const before = node.rrsets
  node.put(rrset(types.TXT))
  node.remove(types.A)
  t.equal(before.length, 1)
})
