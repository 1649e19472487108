import type { Name } from '../../dns/name.ts'
import type { Endpoint } from '../../model/masters.ts'
import type { NotifyTarget } from './notify-targets.ts'

/** What a server elsewhere says of a zone. */
export type ProbeResult =
  | { readonly kind: 'serves'; readonly serial: number }
  /** It answers, but not for this zone. */
  | { readonly kind: 'absent' }
  /** It does not answer, or nothing that tells. `reason` is for people. */
  | { readonly kind: 'failed'; readonly reason: string }

export type NotifyOptions = {
  readonly signal: AbortSignal
  /** Of those that the client makes otherwise. */
  readonly maxAttempts?: number
}

/** Talks to one server elsewhere. Nothing of it rejects for what a server does or fails to do. */
export type ExternalTargetClient = {
  /** Asks once which serial is served. */
  probe(server: Endpoint, zone: Name, signal: AbortSignal): Promise<ProbeResult>
  /** Says that a zone has changed (RFC 1996), again and again until that is acknowledged, at most so often;
   *  returns whether it was. */
  notify(target: NotifyTarget, zone: Name, options: NotifyOptions): Promise<boolean>
}
