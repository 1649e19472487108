import { FormatError } from '../format-error.ts'
import type { Token } from '../presentation.ts'
import { formatHex, parseHex } from './fields/hex.ts'
import { parseInteger } from './fields/integers.ts'
import { RdataText } from './rdata-text.ts'
import { maxRdataOctets } from './rdata-writer.ts'

// RFC 3597 section 5: `\# length hex` expresses any rdata of any type, known or not.

/** Whether the tokens are in the generic form. */
export function isGeneric(tokens: readonly Token[]): boolean {
  const first = tokens[0]
  return first !== undefined && first.raw === '\\#' && !first.isQuoted
}

/** @throws FormatError the length is not that of the octets, or they are not hex. */
export function parseGeneric(mnemonic: string, tokens: readonly Token[]): Uint8Array {
  const text = new RdataText(mnemonic, tokens.slice(1))
  text.enter('length')
  const lengthOctets = parseInteger(text, maxRdataOctets)
  text.enter('octets')
  const octets = text.isAtEnd ? new Uint8Array() : parseHex(text)
  if (octets.length !== lengthOctets) {
    throw new FormatError(`${mnemonic}: \\# says ${lengthOctets} octets, ${octets.length} follow`)
  }
  return octets
}

export function formatGeneric(octets: Uint8Array): string {
  return octets.length === 0 ? '\\# 0' : `\\# ${octets.length} ${formatHex(octets)}`
}
