import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import type { MasterTls } from '../../zone/transfer-in.ts'
import type { TransferFailure } from '../../zone/transfer-response.ts'
import { FrameReader, framed } from '../frames.ts'
import type { TlsCredentials } from '../tls-gate.ts'
import { overTls } from './master-tls.ts'
import { lookupWithin, type Reach, RefusedAddressError, reachableAddresses } from './reach.ts'

// A connection, over TCP or TLS, to a master that may be down, slow or hostile. Each wait has a timeout: for the
// connection, for each whole message (single octets do not extend it), and for the whole transfer.

export type MasterTimeouts = {
  readonly connectMs: number
  /** From the call of `receive` to the end of the message. */
  readonly messageMs: number
  readonly totalMs: number
}

/** Octets that are buffered before they are read: two million small records. Some masters have short timeouts: Knot ends
 *  a transfer whose next message is not taken within half a second, and a busy machine can be that late. */
const readableHighWaterMark = 64 << 20
/** Octets that are read at once. Reading all that is available would first copy it into one buffer. */
const segmentOctets = 64 << 10

/** The connection failed; carries the reason in words. */
export class MasterConnectionError extends Error {
  override readonly name = 'MasterConnectionError'
  readonly failure: TransferFailure

  constructor(failure: TransferFailure, options?: ErrorOptions) {
    super(failure.reason, options)
    this.failure = failure
  }
}

export type MasterConnectionOptions = {
  readonly master: { readonly host: string; readonly port: number; readonly tls?: MasterTls }
  readonly timeouts: MasterTimeouts
  /** Ends the connection when this server no longer needs it. */
  readonly signal: AbortSignal
  readonly reach: Reach
  /** The certificate of this server over TLS, if a master requests one. */
  readonly own?: TlsCredentials | undefined
}

/** One connection. The caller that opens it must close it. */
export class MasterConnection {
  readonly #socket: Socket
  readonly #timeouts: MasterTimeouts
  readonly #totalTimer: NodeJS.Timeout
  readonly #frames = new FrameReader()
  #wake: () => void = () => undefined

  private constructor(socket: Socket, timeouts: MasterTimeouts) {
    this.#socket = socket
    this.#timeouts = timeouts
    for (const event of ['readable', 'end', 'error', 'close']) socket.on(event, () => this.#wake())
    this.#totalTimer = destroyAfter(socket, timeouts.totalMs, {
      kind: 'silent',
      reason: `not done after ${seconds(timeouts.totalMs)}`,
    })
  }

  /** @throws MasterConnectionError kinds 'unreachable' and 'refused-address'. */
  static async open({
    master,
    timeouts,
    signal,
    reach,
    own,
  }: MasterConnectionOptions): Promise<MasterConnection> {
    const { host, port, tls } = master
    // A literal is not looked up.
    if (isIP(host) !== 0) await reachableAddresses(host, reach).catch(throwAsFailure)
    // A stream option that is missing in the socket's type.
    const lookup = lookupWithin(reach)
    const socket = connect({ host, port, lookup, noDelay: true, ...{ readableHighWaterMark } })
    // Errors are reported where a result is awaited; one in between must not end the process.
    socket.on('error', () => undefined)
    addAbortSignal(signal, socket)
    const timer = destroyAfter(socket, timeouts.connectMs, {
      kind: 'unreachable',
      reason: `no connection within ${seconds(timeouts.connectMs)}`,
    })
    try {
      await once(socket, 'connect')
      if (tls === undefined) return new MasterConnection(socket, timeouts)
      return new MasterConnection(
        await overTls(socket, { tls, own, readableHighWaterMark }),
        timeouts,
      )
    } catch (error) {
      socket.destroy()
      throw asFailure(socket.errored ?? error, 'unreachable')
    } finally {
      clearTimeout(timer)
    }
  }

  send(message: Uint8Array): void {
    this.#socket.write(framed(message))
  }

  /** Returns the next message, shared with the connection: valid until the next call.
   *  @throws MasterConnectionError kinds 'silent' and 'closed'. */
  async receive(): Promise<Uint8Array> {
    const waiting = this.#frames.next()
    if (waiting !== undefined) return waiting
    const timer = destroyAfter(this.#socket, this.#timeouts.messageMs, {
      kind: 'silent',
      reason: `no answer within ${seconds(this.#timeouts.messageMs)}`,
    })
    try {
      for (;;) {
        this.#frames.push(await this.#nextSegment())
        const message = this.#frames.next()
        if (message !== undefined) return message
      }
    } finally {
      clearTimeout(timer)
    }
  }

  /** Idempotent. */
  close(): void {
    clearTimeout(this.#totalTimer)
    this.#socket.destroy()
  }

  async #nextSegment(): Promise<Uint8Array> {
    const socket = this.#socket
    while (!socket.destroyed && !socket.readableEnded) {
      const segment = socket.read(Math.min(socket.readableLength, segmentOctets) || undefined)
      if (segment !== null) return segment
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
    if (socket.errored !== null) throw asFailure(socket.errored, 'closed')
    const reason = 'the master closed the connection before the end'
    throw new MasterConnectionError({ kind: 'closed', reason })
  }
}

function destroyAfter(socket: Socket, timeoutMs: number, failure: TransferFailure): NodeJS.Timeout {
  return setTimeout(() => socket.destroy(new MasterConnectionError(failure)), timeoutMs)
}

function throwAsFailure(cause: unknown): never {
  throw asFailure(cause, 'unreachable')
}

function asFailure(cause: unknown, kind: TransferFailure['kind']): MasterConnectionError {
  if (cause instanceof MasterConnectionError) return cause
  if (cause instanceof RefusedAddressError) {
    return new MasterConnectionError({ kind: 'refused-address', reason: cause.message }, { cause })
  }
  return new MasterConnectionError({ kind, reason: reasonOf(cause) }, { cause })
}

const reasonByCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the master reset the connection',
  EPIPE: 'the master closed the connection',
  ENOTFOUND: 'no such host',
  ENODATA: 'the host name has no address',
  ESERVFAIL: 'the host name cannot be looked up now',
  EAI_AGAIN: 'the host name cannot be looked up now',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the host',
  ETIMEDOUT: 'no connection in time',
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS: its certificate is for another name',
  CERT_HAS_EXPIRED: 'TLS: its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'TLS: no authority vouches for its certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'TLS: no authority vouches for its certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'TLS: no authority vouches for its certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'TLS: no authority vouches for its certificate',
  ABORT_ERR: 'given up, as this server stops',
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  // A host name with several addresses fails once for each; the first error is reported.
  if (cause instanceof AggregateError) return reasonOf(cause.errors[0])
  const code = 'code' in cause ? String(cause.code) : ''
  return reasonByCode[code] ?? (code === '' ? cause.message : code)
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`
}
