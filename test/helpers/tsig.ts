import { classes, types } from '../../src/dns/codes.ts'
import { parseName } from '../../src/dns/name.ts'
import { encodeTsig, type Tsig } from '../../src/dns/tsig.ts'
import { findTsig } from '../../src/dns/tsig-verifier.ts'
import { Writer } from '../../src/dns/writer.ts'

// TSIG records as a client puts them behind a request; nothing here signs.

/** A record whose MAC matches no key. */
export const someTsig: Tsig = {
  keyName: parseName('key.example.'),
  algorithm: parseName('hmac-sha256.'),
  timeSigned: 0x01_6a00_0000,
  fudgeSeconds: 300,
  mac: new Uint8Array(32).fill(0xaa),
  originalId: 0x1234,
  error: 0,
  otherData: new Uint8Array(),
}

export function tsigRecord(changes: Partial<Tsig> = {}): Uint8Array {
  const writer = new Writer(new Uint8Array(2000))
  encodeTsig(writer, { ...someTsig, ...changes })
  return writer.finish().slice()
}

/** Returns the request with these records added to its additional section. */
export function withAdditionals(
  request: Uint8Array,
  ...records: readonly Uint8Array[]
): Uint8Array<ArrayBuffer> {
  const octets = new Uint8Array(Buffer.concat([request, ...records]))
  octets.set([(octets[11] ?? 0) + records.length], 11)
  return octets
}

/** An A record of the root that means nothing. */
export const strayRecord = Uint8Array.of(0, 0, types.A, 0, classes.in, 0, 0, 0, 0, 0, 4, 1, 2, 3, 4)

/** Returns a signed message with its MAC truncated to a number of octets. */
export function withTruncatedMac(message: Uint8Array, octetCount: number): Uint8Array {
  const { tsig, tsigAt } = findTsig(message) ?? {}
  if (tsig === undefined || tsigAt === undefined) throw new Error('there is no TSIG')
  const record = tsigRecord({ ...tsig, mac: tsig.mac.slice(0, octetCount) })
  return new Uint8Array([...message.subarray(0, tsigAt), ...record])
}
