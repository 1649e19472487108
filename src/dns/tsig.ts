import { classes, types } from './codes.ts'
import { FormatError } from './format-error.ts'
import { lowerCaseName, type Name } from './name.ts'
import type { Reader } from './reader.ts'
import type { Writer } from './writer.ts'

/** The TSIG record that ends a message (RFC 8945 section 4.2). Names are lower-case. */
export type Tsig = {
  readonly keyName: Name
  /** The algorithm as a name: `hmac-sha256.` */
  readonly algorithm: Name
  /** Seconds since 1970, 48 bits. */
  readonly timeSigned: number
  readonly fudgeSeconds: number
  readonly mac: Uint8Array
  readonly originalId: number
  /** An rcode, or one of `tsigErrors`. */
  readonly error: number
  readonly otherData: Uint8Array
}

const highWord = 2 ** 32

/** Reads the rest of a TSIG record whose owner and type have been read. MAC and other data share the message's memory.
 *  The TTL is ignored: it has no meaning, and BIND and Knot ignore it too.
 *  @throws FormatError another class than ANY, or an rdata of another form. */
export function decodeTsig(reader: Reader, keyName: Name): Tsig {
  const rrClass = reader.u16()
  if (rrClass !== classes.any) throw new FormatError(`a TSIG of class ${rrClass}`)
  reader.u32()
  return reader.within(reader.u16(), () => ({
    keyName: lowerCaseName(keyName),
    algorithm: lowerCaseName(reader.name()),
    timeSigned: reader.u16() * highWord + reader.u32(),
    fudgeSeconds: reader.u16(),
    mac: reader.take(reader.u16()),
    originalId: reader.u16(),
    error: reader.u16(),
    otherData: reader.take(reader.u16()),
  }))
}

/** Writes the whole record. Its names are not compressed: the MAC covers them in that form (section 4.3.3). */
export function encodeTsig(writer: Writer, tsig: Tsig): void {
  writer.name(tsig.keyName)
  writer.u16(types.TSIG)
  writer.u16(classes.any)
  writer.u32(0)
  const lengthAt = writer.offset
  writer.u16(0)
  writer.name(tsig.algorithm)
  writer.u16(Math.floor(tsig.timeSigned / highWord))
  writer.u32(tsig.timeSigned % highWord)
  writer.u16(tsig.fudgeSeconds)
  writer.u16(tsig.mac.length)
  writer.octets(tsig.mac)
  writer.u16(tsig.originalId)
  writer.u16(tsig.error)
  writer.u16(tsig.otherData.length)
  writer.octets(tsig.otherData)
  if (!writer.hasOverflowed) writer.patch16(lengthAt, writer.offset - lengthAt - 2)
}
