import t from 'tap'
import { type Name, nameFromLabels, parentName, parseName } from '../../../src/dns/name.ts'
import { header } from '../../../src/zone/table/layout.ts'
import { TableMemory } from '../../../src/zone/table/memory.ts'
import { NameKey } from '../../../src/zone/table/name-key.ts'
import { Dice } from '../../helpers/dice.ts'

/** A key with a secret of its own. */
function keyWithSecret(seed: number): NameKey {
  const memory = new TableMemory(new SharedArrayBuffer(2 ** 16))
  const dice = new Dice(seed)
  memory.words[header.hashFactor] = dice.below(2 ** 32) | 1
  memory.words[header.hashStart] = dice.below(2 ** 32)
  for (let octet = 0; octet < 256; octet += 1) {
    memory.words[header.hashValues + octet] = dice.below(2 ** 32)
  }
  return new NameKey(memory)
}

function hashesOf(key: NameKey, names: readonly Name[]): number[] {
  return names.map(name => {
    key.readName(name)
    return key.hashFrom(0)
  })
}

/** Two labels whose every second character is the next of the Thue-Morse sequence, of these letters. Polynomials of
 *  it have so many factors x^(2^i) - 1 that they are multiples of 2^32 at every odd point. */
function thueMorseName(letters: string, suffix: Name): Name {
  const characters = Array.from({ length: 127 }, (_, i) => {
    const ones = (i >> 1).toString(2).replaceAll('0', '').length
    return i % 2 === 0 ? letters.charAt(ones % 2) : '-'
  })
  const text = characters.join('')
  return nameFromLabels([text.slice(0, 63), text.slice(64)], suffix)
}

t.test('names do not meet by their pattern, whatever the secret is', async t => {
  const suffix = parseName('example.')
  for (const seed of [1, 2, 3, 4, 5]) {
    const key = keyWithSecret(seed)
    for (const [letters, swapped] of [
      ['ab', 'ba'],
      ['x7', '7x'],
    ] as const) {
      const [hash, other] = hashesOf(key, [
        thueMorseName(letters, suffix),
        thueMorseName(swapped, suffix),
      ])
      t.not(hash, other, `secret ${seed}, ${letters}`)
    }
  }
})

t.test('another secret gives other hashes, the same one the same', async t => {
  const names = ['a.example.', 'b.example.', '.'].map(text => parseName(text))
  t.same(hashesOf(keyWithSecret(1), names), hashesOf(keyWithSecret(1), names))
  t.notSame(hashesOf(keyWithSecret(1), names), hashesOf(keyWithSecret(2), names))
})

t.test('knows the hash of every name above, in any case, and of the wildcard below it', async t => {
  const key = keyWithSecret(7)
  const name = parseName('a.bc.example.')
  key.readName(parseName('A.Bc.eXample.'))
  let above = name
  for (let label = 0; label <= 3; label += 1) {
    const [hash] = hashesOf(keyWithSecret(7), [above])
    const [wildcard] = hashesOf(keyWithSecret(7), [nameFromLabels(['*'], above)])
    t.equal(key.hashFrom(label), hash)
    t.equal(key.wildcardHashAbove(label), wildcard)
    t.equal(key.nameFrom(label), above)
    above = parentName(above)
  }
})

t.test('reads names up to their limits and nothing else', async t => {
  const key = keyWithSecret(7)
  const longest = nameFromLabels([...Array(3).fill('x'.repeat(63)), 'y'.repeat(61)])
  const octets = Buffer.from(longest, 'latin1')
  t.ok(key.readOctets(octets, 0, octets.length))
  t.same([key.labelCount, key.lengthOctets], [4, 255])
  t.notOk(key.readOctets(octets, 0, octets.length - 1), 'cut off')
  t.notOk(key.readOctets(Buffer.concat([Buffer.from('\x01z', 'latin1'), octets]), 0, 257), 'long')
  t.notOk(key.readOctets(Uint8Array.of(1, 0x61, 0xc0, 0), 0, 4), 'a pointer')
  t.notOk(key.readOctets(Uint8Array.of(64, ...Array(64).fill(0x61), 0), 0, 66), 'a long label')
  const deepest = nameFromLabels(Array(127).fill('z'))
  t.ok(key.readOctets(Buffer.from(deepest, 'latin1'), 0, 255))
  t.equal(key.labelCount, 127)
})
