import { ednsOptions } from '../../../src/dns/codes.ts'
import type { Edns, EdnsOption } from '../../../src/dns/edns.ts'
import type { Transport } from '../../../src/nameserver/request.ts'
import { client, serverSettings, unixSeconds } from '../asked-server.ts'
import { sipHash } from './sip-hash.ts'

/** The COOKIE of a request (RFC 7873 section 4): the first one. */
export type CookieVerdict =
  | { readonly kind: 'none' | 'malformed' }
  /** `isOwn`: the server's part is one that this server gave to this client. */
  | { readonly kind: 'given'; readonly hasServerPart: boolean; readonly isOwn: boolean }

/** Judges the cookie of a request. */
export function judgeCookie(edns: Edns | undefined): CookieVerdict {
  const octets = find(edns, ednsOptions.cookie)
  if (octets === undefined) return { kind: 'none' }
  const { length } = octets
  if (length !== 8 && (length < 16 || length > 40)) return { kind: 'malformed' }
  return { kind: 'given', hasServerPart: length > 8, isOwn: makerOf(octets) !== undefined }
}

/** The options of the response, in the order they are written. */
export function optionsFor(
  edns: Edns,
  {
    transport,
    extendedError,
    expireSeconds,
  }: {
    transport: Transport
    extendedError: number | undefined
    expireSeconds: number | undefined
  },
): readonly EdnsOption[] {
  const { facts, keepaliveTenths } = serverSettings
  const asked = edns.version === 0 ? edns : { ...edns, options: [] }
  const options: EdnsOption[] = []
  if (find(asked, ednsOptions.nsid))
    options.push({ code: ednsOptions.nsid, octets: facts.identity })
  const cookie = find(asked, ednsOptions.cookie)
  if (cookie !== undefined && judgeCookie(asked).kind === 'given')
    options.push({ code: ednsOptions.cookie, octets: cookieFor(cookie) })
  if (transport === 'tcp' && find(asked, ednsOptions.tcpKeepalive))
    options.push({ code: ednsOptions.tcpKeepalive, octets: u16(keepaliveTenths) })
  if (expireSeconds !== undefined)
    options.push({ code: ednsOptions.expire, octets: u32(expireSeconds) })
  if (extendedError !== undefined)
    options.push({ code: ednsOptions.extendedError, octets: u16(extendedError) })
  return options
}

/** A cookie that the server issued to the client a given time ago, with one of its secrets. */
export function ownCookie({ ageSeconds = 0, secret = 0 } = {}): Uint8Array {
  const head = Buffer.from('c1c2c3c4c5c6c7c80100000000000000', 'hex')
  head.writeUInt32BE(unixSeconds - ageSeconds, 12)
  return Buffer.concat([head, hashOf(head, secret)])
}

/** The cookie to return: the request's own while it is fresh and of the present secret, otherwise a new one. */
function cookieFor(cookie: Uint8Array): Uint8Array {
  const isKept = makerOf(cookie) === 0 && ageOf(cookie) <= 1800
  if (isKept) return cookie
  const head = Buffer.alloc(16)
  head.set(cookie.subarray(0, 8))
  head[8] = 1
  head.writeUInt32BE(unixSeconds, 12)
  return Buffer.concat([head, hashOf(head, 0)])
}

/** The number of the secret that a cookie was made with for this client (RFC 9018 section 4). */
function makerOf(cookie: Uint8Array): number | undefined {
  if (cookie.length !== 24 || cookie[8] !== 1) return undefined
  const age = ageOf(cookie)
  if (age < -300 || age > 3600) return undefined
  const made = serverSettings.cookieSecrets.findIndex((_, secret) =>
    hashOf(cookie.subarray(0, 16), secret).equals(cookie.subarray(16)),
  )
  return made === -1 ? undefined : made
}

function hashOf(head: Uint8Array, secret: number): Buffer {
  const key = serverSettings.cookieSecrets[secret]
  if (key === undefined) throw new Error('no such secret')
  return sipHash(key, Buffer.concat([head, client]))
}

/** By serial arithmetic. */
function ageOf(cookie: Uint8Array): number {
  return (unixSeconds - Buffer.from(cookie).readUInt32BE(12)) | 0
}

function find(edns: Edns | undefined, code: number): Uint8Array | undefined {
  return edns?.options.find(option => option.code === code)?.octets
}

function u16(value: number): Uint8Array {
  return Uint8Array.of(value >>> 8, value & 0xff)
}

function u32(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value)
}
