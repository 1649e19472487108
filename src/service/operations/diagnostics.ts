import { parseName } from '../../dns/name.ts'
import { ApiError } from '../../errors.ts'
import type { Endpoint } from '../../model/masters.ts'
import { isRefusedForNow, type Store } from '../../store/store.ts'
import type { ExternalTargetClient } from '../targets/external-target-client.ts'
import type { ServicePart } from './service-statuses.ts'

type DiagnosticsOptions = {
  readonly hostname: string
  readonly parts: () => readonly ServicePart[]
  readonly store: Pick<Store, 'commit'>
  /** Asks a name server over the network. */
  readonly client: Pick<ExternalTargetClient, 'probe'>
  /** A monotonic clock, in milliseconds. */
  readonly nowMillis?: () => number
}

/** Whether a part answers, and how long that took. */
export type Echo = {
  readonly seconds: number
  /** The problem; undefined if there is none. */
  readonly problem: string | undefined
}

/** The result of a ping. */
type Pong = {
  readonly host: string
  readonly isWell: boolean
  /** The name server, over the network. */
  readonly backend: Echo
  readonly storage: Echo
  /** The problem that the part itself reports; undefined if there is none. */
  readonly problem: string | undefined
}

/** The name of all parts together, after Designate's `central`. */
const wholeServer = 'central'
const root = parseName('.')

/** Tests whether the parts of this server work, by having them do some work. */
export class Diagnostics {
  readonly #options: DiagnosticsOptions
  readonly #nowMillis: () => number

  constructor(options: DiagnosticsOptions) {
    this.#options = options
    this.#nowMillis = options.nowMillis ?? (() => performance.now())
  }

  /** @param topic the name of a part, as service statuses have it, or `central` for all of them
   *  @param host what this machine is called, in any case
   *  @throws ApiError not_found there is no such part, or no such host */
  async ping(topic: string, host: string): Promise<Pong> {
    const { hostname, parts } = this.#options
    const all = parts()
    const asked = topic === wholeServer ? all : all.filter(({ name }) => name === topic)
    if (asked.length === 0 || host.toLowerCase() !== hostname.toLowerCase()) {
      throw new ApiError('not_found', `There is no ${topic} on ${host}`)
    }
    const own = listenersOf(asked)
    const listeners = own.length > 0 ? own : listenersOf(all)
    const backend = await this.#timed(() => this.#queryAll(listeners))
    const storage = await this.#timed(() => this.#write())
    const problem = asked.find(part => part.problem !== undefined)?.problem
    const isWell = [problem, backend.problem, storage.problem].every(found => found === undefined)
    return { host: hostname, isWell, backend, storage, problem }
  }

  /** Queries each for a zone that it need not have: any response counts as an answer. */
  async #queryAll(listeners: readonly Endpoint[]): Promise<string | undefined> {
    const { client } = this.#options
    const results = await Promise.all(
      listeners.map(address => client.probe(address, root, new AbortController().signal)),
    )
    return results.find(result => result.kind === 'failed')?.reason
  }

  /** Makes an empty commit, which waits in line like any change. */
  async #write(): Promise<string | undefined> {
    try {
      await this.#options.store.commit(() => undefined)
      return undefined
    } catch (error) {
      if (isRefusedForNow(error)) return error.message
      throw error
    }
  }

  async #timed(ask: () => Promise<string | undefined>): Promise<Echo> {
    const beganAt = this.#nowMillis()
    const problem = await ask()
    return { seconds: (this.#nowMillis() - beganAt) / 1000, problem }
  }
}

function listenersOf(parts: readonly ServicePart[]): readonly Endpoint[] {
  return parts.flatMap(({ listen = [] }) => listen)
}
