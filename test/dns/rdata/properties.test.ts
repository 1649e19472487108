import fc from 'fast-check'
import t from 'tap'
import { FormatError } from '../../../src/dns/format-error.ts'
import { nameFromOctets } from '../../../src/dns/name.ts'
import {
  formatRdata,
  parseRdata,
  rdataTypes,
  readRdata,
  targetOffset,
  writeRdata,
} from '../../../src/dns/rdata/index.ts'
import { Reader } from '../../../src/dns/reader.ts'
import { Writer } from '../../../src/dns/writer.ts'
import { comparable, nameArbitrary, valueArbitrary } from '../../helpers/rdata-arbitraries.ts'
import { hexOf } from '../../helpers/wire.ts'

const runs = { numRuns: 60 }

for (const definition of rdataTypes.values()) {
  const { code, mnemonic } = definition
  const rdata = valueArbitrary(code).map(value => definition.encode(value as never))

  t.test(`${mnemonic}: any value survives its octets`, async t => {
    const property = fc.property(valueArbitrary(code), value => {
      const back = definition.decode(definition.encode(value as never))
      return JSON.stringify(comparable(back)) === JSON.stringify(comparable(value))
    })
    t.doesNotThrow(() => fc.assert(property, runs))
  })

  t.test(`${mnemonic}: any rdata survives its text`, async t => {
    const property = fc.property(
      rdata,
      octets => hexOf(parseRdata(code, formatRdata(code, octets))) === hexOf(octets),
    )
    t.doesNotThrow(() => fc.assert(property, runs))
  })

  t.test(`${mnemonic}: any rdata survives a message, twice over, compressed or not`, async t => {
    const property = fc.property(rdata, nameArbitrary, (octets, owner) => {
      const writer = new Writer(new Uint8Array(0xffff))
      writer.compressedName(owner)
      const starts = [writer.offset]
      for (let i = 0; i < 2; i += 1) {
        writeRdata(writer, code, octets)
        starts.push(writer.offset)
      }
      const reader = new Reader(writer.finish())
      reader.name()
      return [0, 1].every(i => {
        const lengthOctets = (starts[i + 1] ?? 0) - (starts[i] ?? 0)
        return hexOf(readRdata(reader, code, lengthOctets)) === hexOf(octets)
      })
    })
    t.doesNotThrow(() => fc.assert(property, runs))
  })

  t.test(`${mnemonic}: any octets are refused, or are an rdata that survives its text`, async t => {
    const property = fc.property(fc.uint8Array({ maxLength: 80 }), octets => {
      const read = valueOrFormatError(() => readRdata(new Reader(octets), code, octets.length))
      if (read === undefined) return true
      return hexOf(parseRdata(code, formatRdata(code, read))) === hexOf(read)
    })
    t.doesNotThrow(() => fc.assert(property, { numRuns: 200 }))
  })

  t.test(`${mnemonic}: any text is refused with a FormatError, or is an rdata`, async t => {
    const word = fc.constantFrom('a.', '.', '"x y"', '0', '1', '255', 'A', '::1', '=', '\\', '"')
    const text = fc.oneof(
      fc.array(word, { maxLength: 9 }).map(words => words.join(' ')),
      fc.string({ unit: 'binary', maxLength: 40 }),
    )
    const property = fc.property(text, text => {
      const octets = valueOrFormatError(() => parseRdata(code, text))
      if (octets === undefined) return true
      return hexOf(readRdata(new Reader(octets), code, octets.length)) === hexOf(octets)
    })
    t.doesNotThrow(() => fc.assert(property, { numRuns: 200 }))
  })

  t.test(`${mnemonic}: the target is one of its names`, async t => {
    const property = fc.property(valueArbitrary(code), value => {
      const offset = targetOffset(code)
      if (offset === undefined) return true
      const target = nameFromOctets(definition.encode(value as never), offset)
      return Object.values(value).includes(target)
    })
    t.doesNotThrow(() => fc.assert(property, runs))
  })
}

t.test('a type without a form of its own survives its text', async t => {
  const unknownType = fc.integer({ min: 300, max: 0xffff })
  const property = fc.property(
    unknownType,
    fc.uint8Array(),
    (type, octets) => hexOf(parseRdata(type, formatRdata(type, octets))) === hexOf(octets),
  )
  t.doesNotThrow(() => fc.assert(property, runs))
})

function valueOrFormatError<T>(produce: () => T): T | undefined {
  try {
    return produce()
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}
