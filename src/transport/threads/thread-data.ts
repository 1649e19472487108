import type { MessagePort } from 'node:worker_threads'
import type { HandedRequest, ListenAddress, OnHanded, OnNotify, Report } from '../answer.ts'
import type { NotifyEvent } from '../notify-throttle.ts'
import type { Protocol, TcpLimits } from '../tcp.ts'
import type { EngineTls } from '../tcp-engine.ts'
import type { TlsCredentials } from '../tls-gate.ts'
import type { DatagramSocket } from './datagram-socket.ts'
import type { ThreadMemory } from './thread-memory.ts'

/** A thread's slot among the readers of the zones. It is opened for one life of a thread, and closed after its end,
 *  for whatever reason it ended. */
export type OpenReader = { readonly handle: unknown; close(): void }

/** The code that answers, and its data. */
export type ResponderSource = {
  /** The URL of a module with an `openResponder`, since functions cannot be sent to threads. */
  readonly module: string
  /** The argument of `openResponder`: shared memory, or anything else that can be cloned. */
  readonly handle: unknown
}

/** What an engine of threads is started with, for UDP or TCP. */
export type AnsweringOptions = {
  readonly openReader: () => OpenReader
  /** The code that answers from a reader (`ResponderSource`). */
  readonly responder: ResponderSource['module']
  readonly report: Report
  readonly onNotify: OnNotify
  readonly onHanded?: OnHanded | undefined
}

/** The initial data of a thread that answers UDP. */
export type UdpThreadData = {
  readonly sockets: readonly DatagramSocket[]
  readonly responder: ResponderSource
  readonly memory: ThreadMemory
}

/** An address on which a thread listens, and its protocol. */
export type Listening = { readonly address: ListenAddress; readonly protocol: Protocol }

/** The initial data of a thread that answers TCP. */
export type TcpThreadData = {
  /** The addresses on which its predecessor listened. */
  readonly addresses: readonly Listening[]
  readonly responder: ResponderSource
  readonly limits: Partial<TcpLimits>
  readonly tls: EngineTls | undefined
  /** The port through which it requests zones to send (`transfer-port.ts`). */
  readonly transferPort: MessagePort | undefined
}

/** A request to a TCP thread. */
export type TcpRequest =
  | ({ readonly kind: 'listen' } & Listening)
  | { readonly kind: 'renew'; readonly credentials: TlsCredentials }
  | {
      readonly kind: 'updated'
      readonly number: number
      readonly response: Uint8Array | undefined
    }
  | { readonly kind: 'end' }

/** The reply to `listen`. The code of an error would be lost between threads. */
export type ListenReply =
  | { readonly kind: 'listening'; readonly address: ListenAddress }
  | { readonly kind: 'refused'; readonly message: string; readonly code: string | undefined }

/** A message from any of the threads. */
export type ThreadMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'defect'; readonly error: Error }
  | { readonly kind: 'reply'; readonly value: unknown }
  | { readonly kind: 'notified'; readonly event: NotifyEvent }
  | { readonly kind: 'handed'; readonly request: HandedRequest; readonly way: WayBack }

/** Where the response to a passed-on request goes: over UDP through the socket of the request, to a socket address; over
 *  TCP to the thread, which has numbered the request. */
export type WayBack =
  | { readonly descriptor: number; readonly peer: Uint8Array }
  | { readonly number: number }
