import t from 'tap'
import { formatName, type Name, parentName, parseName } from '../../../src/dns/name.ts'
import { writeEntry } from '../../../src/zone/table/entries.ts'
import { TableMemory } from '../../../src/zone/table/memory.ts'
import { NameIndex } from '../../../src/zone/table/name-index.ts'
import { NameKey } from '../../../src/zone/table/name-key.ts'
import { TableWriter } from '../../../src/zone/table/table-writer.ts'
import { Dice } from '../../helpers/dice.ts'

function open() {
  const memory = new TableMemory(new SharedArrayBuffer(2 ** 26))
  const dice = new Dice(3)
  for (let at = 6; at < 600; at += 1) memory.words[at] = dice.below(2 ** 32) | 1
  const writer = new TableWriter(memory)
  const key = new NameKey(memory)
  const index = new NameIndex(memory)
  const find = (name: Name, namespace: number) => {
    key.readName(name)
    return index.find(namespace, key, 0)
  }
  const add = (name: Name, namespace: number) => {
    key.readName(name)
    const ref = writeEntry(writer.store, { key, label: 0, above: namespace, isTop: true })
    writer.index.add(key.hashFrom(0), namespace, ref)
    return ref
  }
  const remove = (name: Name, namespace: number, ref: number) => {
    key.readName(name)
    writer.index.remove(key.hashFrom(0), namespace, ref)
    writer.store.retire(ref)
  }
  return { writer, key, index, find, add, remove }
}

t.test('a name below an apex is compared to its end, which only the apex has', async t => {
  const { writer, key, index, find } = open()
  const namespace = 1000
  key.readName(parseName('example.net.'))
  const apex = writeEntry(writer.store, { key, label: 0, above: namespace, isTop: true })
  key.readName(parseName('www.example.net.'))
  const node = writeEntry(writer.store, { key, label: 0, above: apex, isTop: false })
  writer.index.add(key.hashFrom(0), namespace, node)
  t.equal(find(parseName('WWW.example.net.'), namespace), node)
  t.equal(find(parseName('www.example.net.'), apex), 0)
  for (const name of [
    'www.example.org.',
    'www.examplf.net.',
    'wwx.example.net.',
    'www.dxample.net.',
  ]) {
    key.readName(parseName(name))
    t.notOk(index.hasName(node, key, key.octetsFrom(0)), name)
  }
})

t.test('finds all of very many names, by namespace, and none that are not there', async t => {
  const { find, add, remove } = open()
  const names = Array.from({ length: 20_000 }, (_, i) => parseName(`n${i}.example.`))
  const [one, other] = [1000, 1002]
  const refs = names.map(name => add(name, one))
  const others = names.slice(0, 100).map(name => add(name, other))
  t.same(
    names.map(name => find(name, one)),
    refs,
  )
  t.same(
    names.map(name => find(name, other)).filter(ref => ref !== 0),
    others,
  )
  names.forEach((name, i) => {
    if (i % 3 !== 0) remove(name, one, refs[i] ?? 0)
  })
  t.same(
    names.map(name => find(name, one)),
    refs.map((ref, i) => (i % 3 === 0 ? ref : 0)),
  )
})

t.test('names that come and go for ever take no more room', async t => {
  const { writer, find, add, remove } = open()
  const dice = new Dice(9)
  const refs = new Map<number, number>()
  let peak = 0
  for (let round = 0; round < 60_000; round += 1) {
    const i = dice.below(4000)
    const name = parseName(`n${i}.example.`)
    const ref = refs.get(i)
    if (ref === undefined) refs.set(i, add(name, 2))
    else {
      if (find(name, 2) !== ref) t.fail(`${formatName(name)} is lost`)
      remove(name, 2, ref)
      refs.delete(i)
    }
    if (round === 20_000) peak = writer.store.slabs.touchedOctets
  }
  t.equal(writer.store.slabs.touchedOctets, peak)
  for (const [i, ref] of refs) t.equal(find(parseName(`n${i}.example.`), 2), ref)
})

t.test('a key finds its name, each name above, and the wildcard beside its label', async t => {
  const { key, index, add } = open()
  const name = parseName('a.B.\\001x.Example.')
  const above = [name, ...[1, 2, 3, 4].map(count => parents(name, count))]
  const refs = above.map(each => add(each, 2))
  const wildcards = above.map(each => add(`\x01*${each}` as Name, 2))
  key.readName(parseName('A.b.\\001X.eXAMPLE.'))
  t.equal(key.labelCount, 4)
  for (let label = 0; label <= 4; label += 1) {
    t.equal(index.find(2, key, label), refs[label])
    if (label > 0) t.equal(index.findWildcard(2, key, label), wildcards[label])
  }
  t.equal(index.find(2, key, 0), refs[0], 'asking for wildcards leaves the key as it was')
  t.equal(key.nameFrom(0), parseName('a.b.\\001x.example.'))
})

t.test('a key takes no name that is cut off, compressed or too long', async t => {
  const { key } = open()
  const octets = Uint8Array.from([9, 9, 3, 97, 98, 99, 0])
  t.equal(key.readOctets(octets, 2, 7), true)
  t.equal(key.lengthOctets, 5)
  for (let end = 2; end < 7; end += 1) t.equal(key.readOctets(octets, 2, end), false)
  t.equal(key.readOctets(Uint8Array.of(1, 97, 0xc0, 12, 0), 0, 5), false)
  t.equal(key.readOctets(Uint8Array.of(0x40, 0), 0, 2), false)
  const long = new Uint8Array(300).map((_, i) => (i % 2 === 0 ? 1 : 97))
  long[254] = 0
  t.equal(key.readOctets(long, 0, 300), true)
  t.equal(key.lengthOctets, 255)
  t.equal(key.labelCount, 127)
  t.equal(key.readOctets(Uint8Array.of(2, 97, 97, ...long.subarray(0, 253), 0), 0, 257), false)
})

function parents(name: Name, count: number): Name {
  return count === 0 ? name : parents(parentName(name), count - 1)
}
