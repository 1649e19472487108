import t from 'tap'
import { parseName } from '../../../src/dns/name.ts'
import { signing, zone as zoneBlock } from '../../../src/zone/table/layout.ts'
import { TableMemory } from '../../../src/zone/table/memory.ts'
import { NameKey } from '../../../src/zone/table/name-key.ts'
import { NameOrder, OrderIndex } from '../../../src/zone/table/order-index.ts'
import { OrderIndexWriter } from '../../../src/zone/table/order-index-writer.ts'
import { TableStore } from '../../../src/zone/table/table-store.ts'
import { Dice } from '../../helpers/dice.ts'
import { rrsetsFromText } from '../../helpers/zone.ts'
import { createZone, openTable } from '../../helpers/zone-table.ts'

/** Entries are blocks of one number. */
class NumberOrder extends OrderIndex {
  #wanted = 0

  seek(number: number): void {
    this.#wanted = number
    this.takeSought()
  }

  override compare(entry: number): number {
    return this.#wanted - (this.words[entry] as number)
  }

  protected override readEntry(entry: number, into: Uint8Array): number {
    return readNumber(this.words[entry] as number, into)
  }

  protected override readSought(into: Uint8Array): number {
    return readNumber(this.#wanted, into)
  }
}

/** Some numbers have the same octets, and some fewer than others. */
function readNumber(number: number, into: Uint8Array): number {
  const view = Buffer.from(into.buffer, into.byteOffset)
  view.writeUInt32BE(7, 0)
  view.writeUInt32BE(number >>> 3, 4)
  return (number >>> 3) % 256 === 0 ? 7 : 8
}

class NumberIndex {
  readonly store = new TableStore(new TableMemory(new SharedArrayBuffer(2 ** 24)))
  readonly order = new NumberOrder(this.store.memory)
  readonly index = new OrderIndexWriter(this.store)
  readonly rootAt = this.store.allocate(2)
  readonly #entryOf = new Map<number, number>()

  constructor() {
    this.store.words[this.rootAt] = 0
  }

  add(number: number): void {
    const entry = this.#write(number)
    this.index.add(this.#at(number), this.rootAt, entry)
  }

  remove(number: number): boolean {
    const entry = this.#entryOf.get(number) ?? 0
    this.#entryOf.delete(number)
    return this.index.remove(this.#at(number), this.rootAt, entry)
  }

  move(number: number): boolean {
    const from = this.#entryOf.get(number) as number
    return this.index.replace(this.#at(number), this.rootAt, { from, to: this.#write(number) })
  }

  floor(number: number): number | undefined {
    return this.#numberOf(this.#at(number).floor(this.rootAt))
  }

  before(number: number): number | undefined {
    return this.#numberOf(this.#at(number).before(this.rootAt))
  }

  next(number: number): number | undefined {
    return this.#numberOf(this.index.next(this.#at(number), this.rootAt))
  }

  get last(): number | undefined {
    return this.#numberOf(this.order.last(this.rootAt))
  }

  get all(): number[] {
    return [...this.index.entries(this.rootAt)].map(entry => this.store.words[entry] as number)
  }

  #write(number: number): number {
    const entry = this.store.allocate(2)
    this.store.words[entry] = number
    this.#entryOf.set(number, entry)
    return entry
  }

  #at(number: number): NumberOrder {
    this.order.seek(number)
    return this.order
  }

  #numberOf(entry: number): number | undefined {
    return entry === 0 ? undefined : this.store.words[entry]
  }
}

function compareWith(index: NumberIndex, numbers: ReadonlySet<number>, asked: number): string {
  const sorted = [...numbers].sort((one, other) => one - other)
  const expected = [
    sorted.findLast(number => number <= asked),
    sorted.findLast(number => number < asked),
    sorted.find(number => number > asked),
    sorted.at(-1),
  ]
  const found = [index.floor(asked), index.before(asked), index.next(asked), index.last]
  return found.join() === expected.join() ? '' : `${asked}: ${found} is not ${expected}`
}

for (const { spread, removedOfTen } of [
  { spread: 100, removedOfTen: 5 },
  { spread: 50_000, removedOfTen: 3 },
  { spread: 50_000, removedOfTen: 6 },
]) {
  t.test(`entries of ${spread} that come, go and move are found in order`, async t => {
    const dice = new Dice(removedOfTen)
    const index = new NumberIndex()
    const numbers = new Set<number>()
    for (let i = 0; i < 12_000; i += 1) {
      const number = 1 + dice.below(spread)
      const isIn = numbers.has(number)
      const isRemoved = isIn && dice.below(10) < removedOfTen
      if (isRemoved) numbers.delete(number)
      else numbers.add(number)
      if (!isIn) index.add(number)
      else if (!(isRemoved ? index.remove(number) : index.move(number))) t.fail(`no ${number}`)
      const problem = i % 10 === 0 ? compareWith(index, numbers, dice.below(spread + 2)) : ''
      if (problem !== '') t.fail(problem)
    }
    const sorted = [...numbers].sort((one, other) => one - other)
    t.same(index.all, sorted)
  })
}

t.test('entries that come in order fill their pages; taken out again, nothing is left', async t => {
  const index = new NumberIndex()
  for (let number = 1; number <= 20_000; number += 1) index.add(number)
  index.store.epochs.reclaim()
  const octetsOfEntries = 20_000 * 8
  const perEntry = (index.store.slabs.usedOctets - octetsOfEntries) / 20_000
  t.ok(perEntry < 9, `${perEntry} octets an entry`)
  let count = 0
  for (let taken = index.index.takeFirstLeaf(index.order, index.rootAt); taken.length > 0; ) {
    count += taken.length
    taken = index.index.takeFirstLeaf(index.order, index.rootAt)
  }
  t.equal(count, 20_000)
  index.store.epochs.reclaim()
  t.equal(index.store.slabs.usedOctets - octetsOfEntries, 8)
})

t.test('one that is not there is neither removed nor replaced', async t => {
  const index = new NumberIndex()
  t.notOk(index.remove(1))
  index.add(2)
  index.add(4)
  t.notOk(index.remove(3))
  t.same(index.all, [2, 4])
})

t.test('names are in canonical order (RFC 4034 section 6.1)', async t => {
  const names = [
    'example.',
    'a.example.',
    'yljkjljk.a.example.',
    'Z.a.example.',
    'zABC.a.EXAMPLE.',
    'z.example.',
    '\\001.z.example.',
    '*.z.example.',
    '\\200.z.example.',
  ]
  const table = openTable()
  const lines = names.map(name => `${name} 60 NSEC ${name} NSEC`)
  const soa = 'example. 60 SOA . . 1 1 1 1 1'
  const zone = createZone(table, rrsetsFromText([soa, ...lines.toReversed()].join('\n')))
  const memory = new TableMemory(table.memory)
  const order = new NameOrder(memory)
  const key = new NameKey(memory)
  const namesAt = (memory.words[zone.ref + zoneBlock.signing] as number) + signing.names
  const nodes = names.map(name => {
    key.readName(parseName(name))
    order.seek(zone.ref, key)
    return order.floor(namesAt)
  })
  t.equal(new Set(nodes).size, names.length)
  for (const [i, name] of names.entries()) {
    key.readName(parseName(name))
    order.seek(zone.ref, key)
    const signs = nodes.map(node => Math.sign(order.compare(node)))
    t.same(
      signs,
      names.map((_, j) => Math.sign(i - j)),
      name,
    )
  }
})

t.test('names that share octets are found among each other, whatever those are', async t => {
  const dice = new Dice(3)
  const octets = ['\\000', '\\001', '\\002', 'a', '\\255']
  const label = (): string => {
    const rest = Array.from({ length: dice.below(7) }, () => dice.pick(octets)).join('')
    return `${dice.pick(['shared', 'sh\\000red', 'sh\\001red', 'other'])}${rest}`
  }
  const name = (): string => {
    const labels = dice.below(4) === 0 ? [label(), label()] : [label()]
    return `${labels.join('.')}.example.`
  }
  const names = [...new Set(Array.from({ length: 600 }, name))]
  const lines = names.map(own => `${own} 60 NSEC ${own} NSEC`)
  const table = openTable()
  const soa = 'example. 60 SOA . . 1 1 1 1 1'
  const apex = 'example. 60 NSEC example. NSEC'
  const zone = createZone(table, rrsetsFromText([soa, apex, ...lines].join('\n')))
  const memory = new TableMemory(table.memory)
  const order = new NameOrder(memory)
  const key = new NameKey(memory)
  const rootAt = (memory.words[zone.ref + zoneBlock.signing] as number) + signing.names
  const entries = [...new OrderIndexWriter(new TableStore(memory)).entries(rootAt)]
  for (let i = 0; i < 2000; i += 1) {
    const sought = i < names.length ? (names[i] as string) : name()
    key.readName(parseName(sought))
    order.seek(zone.ref, key)
    const expected = entries.findLast(entry => order.compare(entry) >= 0)
    t.equal(order.floor(rootAt), expected, sought)
  }
})
