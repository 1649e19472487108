import type { MessagePort } from 'node:worker_threads'
import type { HandedRequest, ListenAddress } from '../answer.ts'
import type { NotifyEvent } from '../notify-throttle.ts'
import type { Protocol, TcpLimits } from '../tcp.ts'
import type { EngineTls } from '../tcp-engine.ts'
import type { TlsCredentials } from '../tls-gate.ts'
import type { DatagramSocket } from './datagram-socket.ts'
import type { ThreadMemory } from './thread-memory.ts'

/** A thread's place among the readers of the zones. It is taken for one life of a thread, and closed after
 *  its end, however it ended. */
export type OpenReader = { readonly handle: unknown; close(): void }

/** Which code answers, and from what. */
export type ResponderSource = {
  /** The URL of a module with an `openResponder`: functions do not cross threads. */
  readonly module: string
  /** What `openResponder` is given: shared memory, or anything else that can be cloned. */
  readonly handle: unknown
}

/** What a thread that answers UDP is started with. */
export type UdpThreadData = {
  readonly sockets: readonly DatagramSocket[]
  readonly responder: ResponderSource
  readonly memory: ThreadMemory
}

/** Where a thread listens, and what is spoken there. */
export type Listening = { readonly address: ListenAddress; readonly protocol: Protocol }

/** What a thread that answers TCP is started with. */
export type TcpThreadData = {
  /** Where its predecessor has listened. */
  readonly addresses: readonly Listening[]
  readonly responder: ResponderSource
  readonly limits: Partial<TcpLimits>
  readonly tls: EngineTls | undefined
  /** Where it asks for zones that are to be sent (`transfer-port.ts`). */
  readonly transferPort: MessagePort | undefined
}

/** What a TCP thread is given. */
export type TcpRequest =
  | ({ readonly kind: 'listen' } & Listening)
  | { readonly kind: 'renew'; readonly credentials: TlsCredentials }
  | { readonly kind: 'updated'; readonly number: number; readonly response: Uint8Array }
  | { readonly kind: 'end' }

/** What it replies to `listen`. An error's code would not survive the way between threads. */
export type ListenReply =
  | { readonly kind: 'listening'; readonly address: ListenAddress }
  | { readonly kind: 'refused'; readonly message: string; readonly code: string | undefined }

/** What any of the threads says. */
export type ThreadMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'defect'; readonly error: Error }
  | { readonly kind: 'reply'; readonly value: unknown }
  | { readonly kind: 'notified'; readonly event: NotifyEvent }
  | { readonly kind: 'handed'; readonly request: HandedRequest; readonly way: WayBack }

/** Where the response to what was handed on goes: over UDP by the socket it came by, to a socket address; over TCP to the thread,
 *  which has numbered it. */
export type WayBack =
  | { readonly descriptor: number; readonly peer: Uint8Array }
  | { readonly number: number }
