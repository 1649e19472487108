import type { Name } from '../dns/name.ts'
import type { Hmac } from '../dns/tsig-mac.ts'
import type { TransferRequest } from './transfer.ts'

// The services of the thread that a responder runs in: clocks, the client's address, and handlers of the requests that are
// answered elsewhere.

/** An UPDATE to be answered elsewhere; its TSIG, if it has one, is good. Its memory is reused. */
export type HandedUpdate = {
  readonly octets: Uint8Array
  /** In lower case. */
  readonly apex: Name
  readonly keyId: string | undefined
  /** Whether it has an OPT, and the response is to have one. */
  readonly hasEdns: boolean
  /** Whether the response is to be padded. */
  readonly isPadded?: boolean
}

/** The environment of a responder. */
export type ResponderHost = {
  /** Whether the transport is encrypted: responses to padded requests are then padded. */
  isEncrypted?: boolean
  /** Called while request `i` is answered, if it is a NOTIFY for the zone of this apex (lower-case), signed with the key of
   *  this id if with any. Returns whether it will be handled; false leaves the request without an answer, so that it is
   *  sent again. */
  onNotified(apex: Name, i: number, keyId: string | undefined): boolean
  /** Called while request `i` is answered, if it requests a zone: AXFR or IXFR over TCP, IXFR over UDP. Returns whether it
   *  will be answered; if not, it is refused over TCP and gets the SOA over UDP. */
  onTransfer?(request: TransferRequest, i: number): boolean
  /** Called while request `i` is answered, if it is an UPDATE of the zone of this apex (lower-case), signed with the key of
   *  this id if with any. Returns whether it will be answered; without this, it is refused. */
  onUpdate?(i: number, update: HandedUpdate): boolean
  /** Writes the address that request `i` came from to the start of `into` and returns its octets, 4 or 16. Called where
   *  responses are limited, and where there is a cookie. */
  readClient(i: number, into: Uint8Array): number
  /** Seconds of a monotonic clock that all threads of the process share. */
  nowSeconds(): number
  /** Milliseconds of a monotonic clock, with fractions. */
  readonly nowMillis?: () => number
  /** Seconds since 1970. */
  unixSeconds(): number
  /** Milliseconds since 1970. */
  readonly unixMillis?: () => number
  /** The HMAC function; without it no key is known. */
  readonly hmac?: Hmac
}
