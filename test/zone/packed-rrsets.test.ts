import fc from 'fast-check'
import t from 'tap'
import { lowerCaseName, type Name, parseName } from '../../src/dns/name.ts'
import { PackedRrsets } from '../../src/zone/packed-rrsets.ts'
import type { OwnedRrset, Rrset } from '../../src/zone/rrset.ts'
import { rrsetOfOctets } from '../../src/zone/rrset-octets.ts'
import { Dice } from '../helpers/dice.ts'

const seed = 7

type Growing = OwnedRrset & { readonly rdatas: Uint8Array[] }

/** The obvious way to do it. */
class PlainRrsets {
  readonly rrsets: Growing[] = []

  indexOf(owner: Name, type: number): number {
    const isThere = (other: Growing) =>
      other.type === type && lowerCaseName(other.owner) === lowerCaseName(owner)
    return this.rrsets.findIndex(isThere)
  }

  add(owner: Name, type: number, ttlSeconds: number): number {
    return this.rrsets.push({ owner, type, ttlSeconds, rdatas: [] }) - 1
  }

  addRecord(index: number, rdata: Uint8Array): void {
    const rdatas = this.rrsets[index]?.rdatas
    if (rdatas?.every(other => Buffer.compare(other, rdata) !== 0)) rdatas.push(rdata)
  }

  names(): OwnedRrset[][] {
    return [...Map.groupBy(this.rrsets, ({ owner }) => lowerCaseName(owner)).values()]
  }
}

const record = fc.record({
  owner: fc
    .constantFrom('a', 'A', 'b', 'b.a', 'B.a', '\\000\\255', 'x1', 'x2', 'x3', 'x4', 'x5')
    .map(label => parseName(`${label}.example.`)),
  type: fc.constantFrom(1, 16, 28, 65535),
  ttlSeconds: fc.nat(2 ** 32 - 1),
  rdata: fc.uint8Array({ maxLength: 3, max: 3 }),
})

t.test('it holds what plain values would hold', async t => {
  const property = fc.property(fc.array(record, { maxLength: 200 }), records => {
    const packed = new PackedRrsets(seed)
    const plain = new PlainRrsets()
    for (const { owner, type, ttlSeconds, rdata } of records) {
      const found = packed.find(owner, type)
      if (found !== plain.indexOf(owner, type)) return false
      const index = found < 0 ? packed.add(owner, type, ttlSeconds) : found
      if (found < 0) plain.add(owner, type, ttlSeconds)
      packed.addRecord(index, rdata)
      plain.addRecord(index, rdata)
    }
    const views = plain.rrsets.map((_, index) => packed.at(index))
    const isSame =
      packed.count === plain.rrsets.length && sameText(views) === sameText(plain.rrsets)
    const names = [...packed.names()].map(({ rrsets }) => sameText(rrsets))
    return isSame && names.join() === plain.names().map(sameText).join()
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 300 }))
})

function sameText(rrsets: readonly Rrset[]): string {
  const text = ({ rdatas, ...rest }: Rrset) => ({
    ...rest,
    rdatas: rdatas.map(rdata => Buffer.from(rdata).toString('hex')),
  })
  return JSON.stringify(rrsets.map(text))
}

t.test('many owners are found again, each once, with all of their types', async t => {
  const packed = new PackedRrsets(seed)
  const nameOf = (i: number): Name => parseName(`host${i}.example.`)
  const rdata = Uint8Array.of(1, 2, 3)
  for (let i = 0; i < 20_000; i += 1) {
    packed.addRecord(packed.add(nameOf(i), 1, 60), rdata)
    if (i % 3 === 0) packed.addRecord(packed.add(nameOf(i), 28, 60), rdata)
  }
  t.equal([...packed.names()].length, 20_000)
  t.equal(packed.firstOf(nameOf(20_000)), -1)
  for (let i = 0; i < 20_000; i += 1) {
    const isRight =
      packed.find(nameOf(i), 1) >= 0 && packed.find(nameOf(i), 28) >= 0 === (i % 3 === 0)
    if (!isRight) t.fail(`host${i}`)
  }
})

t.test('records of any length survive page after page', async t => {
  const packed = new PackedRrsets(seed)
  const dice = new Dice(1)
  const lengths = Array.from({ length: 100 }, () => dice.below(65_536))
  const index = packed.add(parseName('large.example.'), 16, 60)
  for (const [i, length] of lengths.entries())
    packed.addRecord(index, new Uint8Array(length).fill(i))
  const found = packed.rdatasOf(index)
  t.strictSame(
    found.map(({ length }) => length),
    lengths,
  )
  t.ok(found.every((rdata, i) => rdata.every(octet => octet === i)))
})

t.test(
  'a record is held once, however large its RRset is, and its octets are counted once',
  async t => {
    const packed = new PackedRrsets(seed)
    const index = packed.add(parseName('large.example.'), 16, 60)
    for (let i = 0; i < 3000; i += 1) packed.addRecord(index, Buffer.from(`${i % 1000}`))
    t.strictSame(
      packed.rdatasOf(index).map(rdata => Buffer.from(rdata).toString()),
      Array.from({ length: 1000 }, (_, i) => `${i}`),
    )
    t.equal(packed.recordCountOf(index), 1000)
    t.equal(packed.rdataOctetsOf(index), 10 + 90 * 2 + 900 * 3)
  },
)

t.test('an owner with very many types has each of them once', async t => {
  const packed = new PackedRrsets(seed)
  const owner = parseName('odd.example.')
  packed.add(parseName('other.example.'), 1, 60)
  for (let type = 1; type <= 5000; type += 1) {
    if (packed.find(owner, type) >= 0) t.fail(`type ${type} is there too early`)
    packed.add(owner, type, 60)
  }
  for (let type = 1; type <= 5000; type += 1) {
    if (packed.find(owner, type) !== type) t.fail(`type ${type} is not found`)
  }
  t.equal(packed.find(owner, 5001), -1)
  const [, odd] = packed.names()
  t.strictSame(
    odd?.rrsets.map(({ type }) => type),
    Array.from({ length: 5000 }, (_, i) => i + 1),
  )
})

t.test('an RRset is the same as octets', async t => {
  const packed = new PackedRrsets(seed)
  const owners = ['a', 'B.a', 'x'].map(label => parseName(`${label}.example.`))
  for (const [i, owner] of owners.entries()) {
    const index = packed.add(owner, 16, 2 ** 31 - 1 - i)
    for (let n = 0; n < 1 + 40 * i; n += 1) packed.addRecord(index, new Uint8Array(n).fill(n))
  }
  for (const [i, owner] of owners.entries()) {
    const octets = packed.octetsAt(i)
    const name = Buffer.from(octets.octets.subarray(octets.ownerAt, octets.rdatasAt))
    t.equal(name.toString('latin1'), owner)
    t.strictSame({ owner, ...rrsetOfOctets(octets) }, packed.at(i))
  }
})
