import fc from 'fast-check'
import t from 'tap'
import { lowerCaseName, type Name, parseName } from '../../src/dns/name.ts'
import { PackedRrsets } from '../../src/zone/packed-rrsets.ts'
import type { OwnedRrset } from '../../src/zone/rrset.ts'
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
}

const record = fc.record({
  owner: fc
    .constantFrom('a', 'A', 'b', 'b.a', 'B.a', '\\000\\255', 'x1', 'x2', 'x3', 'x4', 'x5')
    .map(label => parseName(`${label}.example.`)),
  type: fc.constantFrom(1, 16, 28, 65535),
  ttlSeconds: fc.nat(2 ** 31 - 1),
  rdata: fc.uint8Array({ maxLength: 40 }),
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
      plain.rrsets[index]?.rdatas.push(rdata)
    }
    const views = plain.rrsets.map((_, index) => packed.at(index))
    return packed.count === plain.rrsets.length && sameText(views) === sameText(plain.rrsets)
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 300 }))
})

function sameText(rrsets: readonly OwnedRrset[]): string {
  const text = ({ rdatas, ...rest }: OwnedRrset) => ({
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
  t.equal([...packed.owners()].length, 20_000)
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
