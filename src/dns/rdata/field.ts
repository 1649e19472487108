import type { Reader } from '../reader.ts'
import type { RdataText } from './rdata-text.ts'
import type { RdataWriter } from './rdata-writer.ts'

/** One field of an rdata: its wire form and its presentation form, both ways. */
export type Field<T> = {
  /** Octets on the wire, where that never varies. */
  readonly fixedOctets?: number
  /** Set on a name that may be sent compressed: RFC 1035's types only (RFC 3597 section 4). */
  readonly isCompressible?: true
  /** @throws FormatError the octets are not such a field. Views of the message may be returned. */
  decode(reader: Reader): T
  encode(value: T, writer: RdataWriter): void
  /** @throws FormatError the next tokens are not such a field. */
  parse(text: RdataText): T
  /** Returns no text at all where the field is empty and may be left out. */
  format(value: T): string
}
