import { type TypeMnemonic, types } from '../codes.ts'
import { FormatError } from '../format-error.ts'
import type { Token } from '../presentation.ts'
import { Reader } from '../reader.ts'
import type { Field } from './field.ts'
import { formatGeneric } from './generic.ts'
import type { RdataText } from './rdata-text.ts'
import { RdataWriter } from './rdata-writer.ts'

/** Where the compressible names of an rdata are: this many octets, then this many names, then the rest. */
export type CompressionLayout = { readonly prefixOctets: number; readonly nameCount: number }

/** The definition of one type's rdata. `octets` are always one whole uncompressed rdata. */
type RdataType<V> = {
  readonly code: number
  readonly mnemonic: TypeMnemonic
  readonly fields: Fields<V>
  /** Absent where no name may be compressed. */
  readonly compression?: CompressionLayout
  /** Parses the usual spelling of a value at once; undefined leaves it to `parse`. */
  readonly parsePlain?: (text: string) => Uint8Array | undefined
  /** Returns the tokens of a single value where they differ from those in a zone file. Throws FormatError for syntax
   *  that only a zone file may use. */
  readonly valueTokens?: (tokens: readonly Token[], text: string) => readonly Token[]
  /** @throws FormatError not an rdata of this type, or octets are left over. */
  decode(octets: Uint8Array): V
  encode(value: V): Uint8Array
  /** Reads one rdata of a message, to where the reader ends.
   *  @throws FormatError as `decode`. */
  read(reader: Reader): Uint8Array
  /** @throws FormatError not an rdata of this type, tokens are left over, or the fields contradict each other. */
  parse(text: RdataText): Uint8Array
  /** @throws FormatError as `decode`. */
  format(octets: Uint8Array): string
}

type Fields<V> = { readonly [K in keyof V]: Field<V[K]> }

type Extras<V> = Pick<RdataType<V>, 'parsePlain' | 'valueTokens'> & {
  /** Describes the fault of fields that are each valid alone; undefined if there is none. Such a value is refused as
   *  text. From the wire it is kept, and written in generic form, so that one odd record of another server never costs
   *  a whole zone. */
  readonly findFault?: (value: V) => string | undefined
}

/** Defines a type by its fields, in wire order, which is also the order of its presentation form. */
export function defineRdata<V extends object>(
  mnemonic: TypeMnemonic,
  fields: Fields<V>,
  { findFault, ...extras }: Extras<V> = {},
): RdataType<V> {
  const names = Object.keys(fields) as (keyof V & string)[]
  const compression = compressionLayout(names.map(name => fields[name]))

  function decodeFrom(reader: Reader): V {
    const value = {} as V
    for (const name of names) value[name] = fields[name].decode(reader)
    return value
  }

  function encode(value: V): Uint8Array {
    writer.reset()
    for (const name of names) fields[name].encode(value[name], writer)
    return writer.finish()
  }

  function decode(octets: Uint8Array): V {
    const reader = new Reader(octets)
    return reader.within(octets.length, () => decodeFrom(reader))
  }

  return {
    code: types[mnemonic],
    mnemonic,
    fields,
    ...(compression === undefined ? {} : { compression }),
    ...extras,
    decode,
    encode,
    read: reader => encode(decodeFrom(reader)),
    parse(text) {
      const value = {} as V
      for (const name of names) {
        text.enter(name)
        value[name] = fields[name].parse(text)
      }
      text.requireEnd()
      const fault = findFault?.(value)
      if (fault !== undefined) throw new FormatError(`${mnemonic}: ${fault}`)
      return encode(value)
    },
    format(octets) {
      const value = decode(octets)
      if (findFault?.(value) !== undefined) return formatGeneric(octets)
      let text = ''
      for (const name of names) {
        const word = fields[name].format(value[name])
        text = text === '' || word === '' ? text + word : `${text} ${word}`
      }
      return text
    },
  }
}

const writer = new RdataWriter()

function compressionLayout(
  fields: readonly { fixedOctets?: number; isCompressible?: true }[],
): CompressionLayout | undefined {
  const first = fields.findIndex(field => field.isCompressible)
  if (first < 0) return undefined
  const prefix = fields.slice(0, first)
  return {
    prefixOctets: prefix.reduce((sum, field) => sum + (field.fixedOctets ?? 0), 0),
    nameCount: fields.filter(field => field.isCompressible).length,
  }
}
