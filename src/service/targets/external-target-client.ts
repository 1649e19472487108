import type { Name } from '../../dns/name.ts'
import type { Endpoint } from '../../model/masters.ts'
import type { NotifyTarget } from './notify-targets.ts'

/** An external server's answer for a zone. */
export type ProbeResult =
  | { readonly kind: 'serves'; readonly serial: number }
  /** It answers, but not for this zone. */
  | { readonly kind: 'absent' }
  /** It does not answer, or not conclusively. `reason` is for people. */
  | { readonly kind: 'failed'; readonly reason: string }

type NotifyOptions = {
  readonly signal: AbortSignal
  /** Fewer attempts than the client makes by default. */
  readonly maxAttempts?: number
}

/** Talks to one external server. No call rejects for what a server does or fails to do. */
export type ExternalTargetClient = {
  /** Asks once for the serial that is served. */
  probe(server: Endpoint, zone: Name, signal: AbortSignal): Promise<ProbeResult>
  /** Sends NOTIFY for a changed zone (RFC 1996) until it is answered, or for a bounded number of attempts; returns why it was not
   *  acknowledged. */
  notify(target: NotifyTarget, zone: Name, options: NotifyOptions): Promise<string | undefined>
}
