import fc from 'fast-check'
import t from 'tap'
import { compareUuids, formatUuid, readUuid, writeUuid } from '../../src/model/uuid-words.ts'

function wordsOf(text: string): Uint32Array {
  const words = new Uint32Array(6)
  if (!writeUuid(words, 1, text)) throw new Error(`${text} is not taken for a UUID`)
  return words
}

t.test('a UUID is read as it was written, wherever it is', async t => {
  fc.assert(fc.property(fc.uuid(), text => readUuid(wordsOf(text), 1) === text))
  const words = wordsOf('01234567-89ab-cdef-fedc-ba9876543210')
  t.same([...words], [0, 0x0123_4567, 0x89ab_cdef, 0xfedc_ba98, 0x7654_3210, 0])
})

t.test('its text is written in front of what follows', async t => {
  const octets = Buffer.alloc(38, 'x')
  formatUuid(wordsOf('01234567-89ab-cdef-fedc-ba9876543210'), 1, octets)
  t.equal(octets.toString('latin1'), '01234567-89ab-cdef-fedc-ba9876543210xx')
})

t.test('what is not a UUID in its usual form and lower case is none', async t => {
  const words = new Uint32Array(4)
  const uuid = '01234567-89ab-cdef-fedc-ba9876543210'
  const others = [
    '',
    uuid.slice(1),
    `${uuid}0`,
    uuid.toUpperCase(),
    uuid.replace('-', '0'),
    uuid.replace('0', '-'),
    uuid.replace('0', 'g'),
    uuid.replace('0', '\u0130'),
    uuid.replaceAll('-', ''),
  ]
  for (const other of others) t.equal(writeUuid(words, 0, other), false, JSON.stringify(other))
})

t.test('UUIDs have the order of their texts', async t => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), (left, right) => {
      const order = compareUuids({ words: wordsOf(left), at: 1 }, { words: wordsOf(right), at: 1 })
      return Math.sign(order) === (left < right ? -1 : Number(left > right))
    }),
  )
  t.pass()
})
