import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { rootName } from '../../../src/dns/name.ts'
import { octetsOfRrset } from '../../../src/zone/rrset-octets.ts'
import { listTag } from '../../../src/zone/table/layout.ts'
import { TableMemory } from '../../../src/zone/table/memory.ts'
import {
  findRrset,
  readRrset,
  recordCountOf,
  rrsetsOf,
  typeOf,
  writeData,
  writeRrset,
} from '../../../src/zone/table/rrset-block.ts'
import { TableStore } from '../../../src/zone/table/table-store.ts'

function openStore(): TableStore {
  return new TableStore(new TableMemory(new SharedArrayBuffer(2 ** 20)))
}

t.test('an RRset comes back as it was: any type, TTL and lengths', async t => {
  const store = openStore()
  const rrsets = [
    { type: 1, ttlSeconds: 0, rdatas: [Uint8Array.of(192, 0, 2, 1)] },
    { type: 0xffff, ttlSeconds: 0xffff_ffff, rdatas: [new Uint8Array(0)] },
    {
      type: 16,
      ttlSeconds: 0x7fff_ffff,
      rdatas: [1, 2, 3, 300].map(n => new Uint8Array(n).fill(n)),
    },
  ]
  const refs = rrsets.map(rrset => writeRrset(store, octetsOfRrset(rootName, rrset)))
  t.same(
    refs.map(ref => readRrset(store.memory, ref)),
    rrsets,
  )
  t.same(
    refs.map(ref => [typeOf(store.words, ref), recordCountOf(store.words, ref)]),
    [
      [1, 1],
      [0xffff, 1],
      [16, 4],
    ],
  )
})

t.test('node data: nothing, one RRset, or a list of several', async t => {
  const store = openStore()
  const { words } = store
  const [a, ns, txt] = [types.A, types.NS, types.TXT].map(type =>
    writeRrset(
      store,
      octetsOfRrset(rootName, { type, ttlSeconds: 60, rdatas: [new Uint8Array(4)] }),
    ),
  ) as [number, number, number]
  t.equal(writeData(store, []), 0)
  const itemOf = (rrset: number) => ({ type: typeOf(words, rrset), rrset, signature: 0 })
  t.equal(writeData(store, [itemOf(ns)]), ns)
  const data = writeData(store, [a, ns, txt].map(itemOf))
  t.equal(data & listTag, listTag)
  t.same(rrsetsOf(words, data), [a, ns, txt])
  t.same(rrsetsOf(words, ns), [ns])
  t.same(rrsetsOf(words, 0), [])
  const found = (of: number) =>
    [types.A, types.NS, types.TXT, types.MX].map(type => findRrset(words, of, type))
  t.same(found(data), [a, ns, txt, 0])
  t.same(found(ns), [0, ns, 0, 0])
  t.same(found(0), [0, 0, 0, 0])
})
