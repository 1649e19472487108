import type { Field } from '../field.ts'
import { hexRest } from './hex.ts'

/** Octets to the end, at least one, as base64 (RFC 4648 section 4) that may be split by blanks. */
export const base64Rest: Field<Uint8Array> = {
  ...hexRest,
  parse: text => text.restAs('base64', parseSomeBase64),
  format: formatBase64,
}

/** The same, possibly without octets, and then without text. */
export const optionalBase64Rest: Field<Uint8Array> = {
  ...base64Rest,
  decode: reader => reader.takeRest(),
  parse: text => (text.isAtEnd ? new Uint8Array() : base64Rest.parse(text)),
}

/** The same, with no octets written as `-`. */
export const dashedBase64Rest: Field<Uint8Array> = {
  ...optionalBase64Rest,
  parse(text) {
    if (text.peek()?.raw !== '-') return base64Rest.parse(text)
    text.next('base64')
    return new Uint8Array()
  },
  format: value => (value.length === 0 ? '-' : formatBase64(value)),
}

function parseSomeBase64(text: string): Uint8Array | undefined {
  return text === '' ? undefined : parseBase64(text)
}

/** Parses padded base64; undefined for anything else. */
export function parseBase64(text: string): Uint8Array | undefined {
  const octets = Buffer.from(text, 'base64')
  // Buffer skips unknown characters, so the octets must account for the whole text. The unused bits of the last
  // character may have any value.
  return base64.test(text) && Math.ceil(octets.length / 3) * 4 === text.length ? octets : undefined
}

export function formatBase64(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('base64')
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/
