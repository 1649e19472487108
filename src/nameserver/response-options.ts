import { ednsOptions } from '../dns/codes.ts'
import { put16 } from '../dns/octets.ts'
import { type Cookies, cookieOctets } from './cookies.ts'
import type { Request } from './request.ts'

const headerOctets = 4
/** Octets of an option whose value is a number. */
const numberOctets = 2
const expireOctets = 4
/** Of EXPIRE as a whole. */
export const expireOptionOctets = headerOctets + expireOctets

/** The contents of the options of responses. */
export type OptionParts = {
  /** NSID; undefined where the server does not identify itself. */
  readonly identity?: Uint8Array | undefined
  /** Undefined: requests' cookies are ignored. */
  readonly cookies?: Cookies
  /** How long a connection may be idle, in tenths of a second (RFC 7828); 0: not sent. */
  readonly keepaliveTenths?: number
}

/** The contents of one response's options. */
type OptionNumbers = {
  /** 0 for none. */
  readonly extendedError: number
  /** Negative for none. */
  readonly expireSeconds: number
}

/** The options of the OPT of a response: those that were asked for, the extended error and EXPIRE (RFC 7314). */
export class ResponseOptions {
  readonly #parts: OptionParts

  constructor(parts: OptionParts = {}) {
    this.#parts = parts
  }

  /** How many octets to reserve. They do not include an extended error, whose responses have no records, nor EXPIRE,
   *  which is put where there is room in the end. */
  octetsFor(request: Request): number {
    const { identity, cookies, keepaliveTenths = 0 } = this.#parts
    let octets = 0
    if (request.wantsIdentity && identity !== undefined) octets += headerOctets + identity.length
    if (request.cookieAt > 0 && cookies !== undefined) octets += headerOctets + cookieOctets
    if (request.wantsKeepalive && keepaliveTenths > 0) octets += headerOctets + numberOctets
    return octets
  }

  /** Writes the options to `into` at `start`, and returns where they end. */
  put(
    request: Request,
    { extendedError, expireSeconds }: OptionNumbers,
    into: Uint8Array,
    start: number,
  ): number {
    const { identity, cookies, keepaliveTenths = 0 } = this.#parts
    let at = start
    if (request.wantsIdentity && identity !== undefined) {
      at = putOption(into, at, ednsOptions.nsid, identity)
    }
    if (request.cookieAt > 0 && cookies !== undefined) {
      at = putOption(into, at, ednsOptions.cookie, cookies.octets)
    }
    if (request.wantsKeepalive && keepaliveTenths > 0) {
      at = putNumber(into, at, ednsOptions.tcpKeepalive, keepaliveTenths)
    }
    if (expireSeconds >= 0) {
      put16(into, at, ednsOptions.expire)
      put16(into, at + 2, expireOctets)
      put16(into, at + headerOctets, expireSeconds >>> 16)
      put16(into, at + headerOctets + 2, expireSeconds & 0xffff)
      at += expireOptionOctets
    }
    if (extendedError > 0) at = putNumber(into, at, ednsOptions.extendedError, extendedError)
    return at
  }
}

function putOption(into: Uint8Array, at: number, code: number, octets: Uint8Array): number {
  put16(into, at, code)
  put16(into, at + 2, octets.length)
  for (let i = 0; i < octets.length; i += 1) into[at + headerOctets + i] = octets[i] as number
  return at + headerOctets + octets.length
}

function putNumber(into: Uint8Array, at: number, code: number, value: number): number {
  put16(into, at, code)
  put16(into, at + 2, numberOctets)
  put16(into, at + headerOctets, value)
  return at + headerOctets + numberOctets
}
