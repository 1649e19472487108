import { FormatError } from '../format-error.ts'
import type { Name } from '../name.ts'
import { type Token, tokenize } from '../presentation.ts'
import { Reader } from '../reader.ts'
import type { Writer } from '../writer.ts'
import * as core from './core.ts'
import * as dnssec from './dnssec.ts'
import { formatIpv4, ipv4Octets } from './fields/ipv4.ts'
import { ipv6Octets } from './fields/ipv6.ts'
import { formatGeneric, isGeneric, parseGeneric } from './generic.ts'
import * as keys from './keys.ts'
import { writeCompressed } from './layout.ts'
import { typeMnemonic } from './mnemonic.ts'
import * as rare from './rare.ts'
import { RdataText } from './rdata-text.ts'
import * as services from './services.ts'
import { https, svcb } from './svcb.ts'
import { avc, ninfo, resinfo, spf, txt, wallet } from './txt.ts'

export { targetOffset } from './layout.ts'
export { typeCode, typeMnemonic } from './mnemonic.ts'

const definitions = [
  ...Object.values(core),
  ...Object.values(services),
  ...Object.values(dnssec),
  ...Object.values(keys),
  ...Object.values(rare),
  ...[svcb, https],
  ...[avc, ninfo, resinfo, spf, txt, wallet],
]

/** The types that have a presentation form of their own, by code. */
export const rdataTypes: ReadonlyMap<number, (typeof definitions)[number]> = new Map(
  definitions.map(definition => [definition.code, definition]),
)

/** Parses one value as a person or a program gives it: presentation form on one line, or RFC 3597's
 *  `\# length hex` for any type. Returns uncompressed wire form. Relative names need `origin`.
 *  @throws FormatError says what was expected and what was found. */
export function parseRdata(type: number, text: string, origin?: Name): Uint8Array {
  const definition = rdataTypes.get(type)
  const plain = definition?.parsePlain?.(text)
  if (plain !== undefined) return plain
  const isText = definition?.valueTokens !== undefined
  const isFolded = !isText && text.includes('(')
  const tokens = tokenize(isFolded ? text.replace(bracketed, unfolded) : text)
  const isOwnForm = !isGeneric(tokens)
  const valueTokens = isOwnForm ? definition?.valueTokens?.(tokens, text) : undefined
  return parseRdataTokens(type, valueTokens ?? tokens, origin)
}

/** Parses a value of one word without quotes and escapes, its names absolute; undefined where another function has to
 *  parse it. */
export function parsePlainWord(type: number, word: string): Uint8Array | undefined {
  return rdataTypes.get(type)?.parsePlain?.(word)
}

/** A value that a zone file spreads over several lines: the text before the bracket, and the text in it. Values with
 *  quotes are not folded in practice. */
const bracketed = /^([^"()]*[ \t])\(([^"()]*)\)[ \t]*$/

function unfolded(_: string, start: string, folded: string): string {
  return start + folded.replaceAll(/[\r\n]/g, ' ')
}

/** As `parseRdata`, for a zone-file parser with its own lines and comments: several unquoted words are then several
 *  strings. */
export function parseRdataTokens(
  type: number,
  tokens: readonly Token[],
  origin?: Name,
): Uint8Array {
  const definition = rdataTypes.get(type)
  if (isGeneric(tokens)) return checkedGeneric(type, parseGeneric(typeMnemonic(type), tokens))
  if (definition !== undefined) {
    return definition.parse(new RdataText(definition.mnemonic, tokens, origin))
  }
  throw new FormatError(
    `${typeMnemonic(type)}: expected \\# length hex, as for any type without a form of its own`,
  )
}

/** Formats in presentation form, names absolute, strings quoted. Types without a form of their own come
 *  out as `\# length hex` (RFC 3597 section 5).
 *  @throws FormatError `rdata` is not one of this type. */
export function formatRdata(type: number, rdata: Uint8Array): string {
  return rdataTypes.get(type)?.format(rdata) ?? formatGeneric(rdata)
}

/** As `formatRdata`, for the octets between two offsets: most are addresses, which are printed in place. */
export function formatRdataAt(
  type: number,
  octets: Uint8Array,
  start: number,
  end: number,
): string {
  if (type === core.a.code && end - start === ipv4Octets) return formatIpv4(octets, start)
  return formatRdata(type, octets.subarray(start, end))
}

/** The rdata length of address types, for which any octets of that length are valid; 0 for other types. */
export function addressOctetsOf(type: number): number {
  if (type === core.a.code) return ipv4Octets
  return type === core.aaaa.code ? ipv6Octets : 0
}

/** Reads the rdata of one record of a message: checked, and with its names uncompressed. The result is the
 *  caller's own.
 *  @throws FormatError not an rdata of this type, or of another length. */
export function readRdata(reader: Reader, type: number, lengthOctets: number): Uint8Array {
  const definition = rdataTypes.get(type)
  if (definition === undefined) return reader.take(lengthOctets).slice()
  return reader.within(lengthOctets, () => definition.read(reader))
}

/** Writes rdata without its length; an empty one (RFC 2136) is written as such. Only names of RFC 1035's types are compressed (RFC 3597 section 4);
 *  case is kept. */
export function writeRdata(writer: Writer, type: number, rdata: Uint8Array): void {
  const compression = rdataTypes.get(type)?.compression
  if (compression === undefined || rdata.length === 0) writer.octets(rdata)
  else writeCompressed(writer, rdata, compression)
}

function checkedGeneric(type: number, octets: Uint8Array): Uint8Array {
  const rdata = readRdata(new Reader(octets), type, octets.length)
  // A compressed name would be read relative to this value instead of its message.
  if (Buffer.compare(rdata, octets) !== 0) {
    throw new FormatError(`${typeMnemonic(type)}: a compressed name has no place in \\# form`)
  }
  return rdata
}
