import { extname } from 'node:path'
import { rcodes } from '../dns/codes.ts'
import type { Transport } from '../nameserver/request.ts'
import { updateResponse } from '../zone/update.ts'
import type { Answer, ListenAddress, OnHanded, OnNotify, Report } from './answer.ts'
import { ListenError } from './listen-error.ts'
import type { Protocol } from './tcp.ts'
import { type EngineTls, EventLoopTcp, type TcpEngine } from './tcp-engine.ts'
import { ThreadedTcp } from './threads/threaded-tcp.ts'
import { ThreadedUdp, type ThreadedUdpOptions } from './threads/threaded-udp.ts'
import { newTlsCounts, readTlsCounters, type TlsCounters, type TlsCounts } from './tls-counters.ts'
import type { TlsCredentials } from './tls-gate.ts'
import { type OfferTransfer, Transfers } from './transfers.ts'
import type { UdpCounters } from './udp.ts'
import { EventLoopUdp, type UdpEngine } from './udp-engine.ts'

/** Maximum attempts while the port that the system picked for UDP turns out to be taken for TCP. */
const maxPortAttempts = 10

/** Sources run unbuilt; built files have another extension. */
const tableResponder = new URL(
  `../nameserver/responder${extname(import.meta.filename)}`,
  import.meta.url,
).href

/** `count` threads answer UDP; one more answers TCP, and another one TLS. By default they answer from the zone table. */
export type ThreadsOptions = Pick<ThreadedUdpOptions, 'count' | 'openReader' | 'load'> &
  Partial<Pick<ThreadedUdpOptions, 'responder'>>

export type ListenersOptions = {
  readonly addresses: readonly ListenAddress[]
  /** Answers on this event loop, unless threads do. */
  readonly answer: Answer
  readonly report: Report
  readonly threads?: ThreadsOptions
  /** Called for threads; on this event loop `answer` is responsible. */
  readonly onNotify?: OnNotify | undefined
  /** As `onNotify`. Without it, such requests are refused. */
  readonly onHanded?: OnHanded | undefined
  /** Called with the reason if the requested threads are not available. */
  readonly onFallback?: (reason: string) => void
  /** Decides on requests for zones; without it they are refused. */
  readonly offerTransfer?: OfferTransfer | undefined
  /** The addresses that answer the same over TLS. */
  readonly tls?: TlsOptions | undefined
  /** Called once the last request is answered. */
  readonly onClosed?: () => void
}

export type TlsOptions = {
  readonly addresses: readonly ListenAddress[]
  /** The addresses of DNS over HTTPS. */
  readonly httpsAddresses?: readonly ListenAddress[]
  readonly credentials: TlsCredentials
}

/** UDP and TCP on each configured address, on the same port, and TLS on separate addresses. */
export class Listeners {
  /** The bound addresses, with the real ports, in the configured order. */
  readonly addresses: readonly ListenAddress[]
  readonly tlsAddresses: readonly ListenAddress[]
  readonly httpsAddresses: readonly ListenAddress[]
  readonly #engines: Engines
  readonly #onClosed: (() => void) | undefined

  private constructor(bound: BoundAddresses, engines: Engines, onClosed?: () => void) {
    this.addresses = bound.addresses
    this.tlsAddresses = bound.tlsAddresses
    this.httpsAddresses = bound.httpsAddresses
    this.#engines = engines
    this.#onClosed = onClosed
  }

  /** Opens all or none.
   *  @throws ListenError an address cannot be bound. */
  static async open(options: ListenersOptions): Promise<Listeners> {
    const { threads } = options
    if (threads !== undefined) {
      try {
        return await Listeners.#openAll(options, await startThreads(options, threads))
      } catch (error) {
        if (error instanceof ListenError) throw error
        options.onFallback?.(reasonOf(error))
      }
    }
    return Listeners.#openAll(options, await eventLoopEngines(options))
  }

  static async #openAll(options: ListenersOptions, engines: Engines): Promise<Listeners> {
    const addresses: ListenAddress[] = []
    try {
      for (const address of options.addresses) addresses.push(await openPair(engines, address))
      const tlsAddresses = await listenForTls(engines.tls, 'dns')
      const httpsAddresses = await listenForTls(engines.tls, 'https')
      await engines.udp.start()
      const bound = { addresses, tlsAddresses, httpsAddresses }
      return new Listeners(bound, engines, options.onClosed)
    } catch (error) {
      await closeAll(engines)
      throw error
    }
  }

  get udpCounters(): UdpCounters {
    return this.#engines.udp.counters
  }

  /** Undefined if TLS is not served. */
  get tlsCounters(): TlsCounters | undefined {
    const { tls } = this.#engines
    return tls && readTlsCounters(tls.counts)
  }

  /** Uses another certificate for new connections over TLS. */
  async renewCertificate(credentials: TlsCredentials): Promise<void> {
    await this.#engines.tls?.engine.renew(credentials)
  }

  /** Takes no more queries and resolves when those that have arrived are answered. Idempotent. */
  async close(): Promise<void> {
    await closeAll(this.#engines)
    this.#onClosed?.()
  }
}

type BoundAddresses = Pick<Listeners, 'addresses' | 'tlsAddresses' | 'httpsAddresses'>

type Engines = {
  readonly udp: UdpEngine
  readonly tcp: TcpEngine
  readonly tls: TlsEngine | undefined
}

/** TLS, with DNS over HTTPS, has a separate engine: a handshake costs as much as a thousand answers, and a flood of
 *  handshakes must not stop answers over plain TCP. */
type TlsEngine = {
  readonly engine: TcpEngine
  readonly addresses: Readonly<Record<Protocol, readonly ListenAddress[]>>
  readonly counts: TlsCounts
}

/** Refuses, instead of ignoring: a thread that has passed on a request waits for its response. */
const refuseHanded: OnHanded = (request, respond) =>
  respond(updateResponse(request, rcodes.refused))

async function startThreads(options: ListenersOptions, threads: ThreadsOptions): Promise<Engines> {
  const { addresses, report, onFallback } = options
  const { onNotify = () => undefined, onHanded = refuseHanded, offerTransfer } = options
  const { responder = tableResponder } = threads
  const tcpParts = { ...threads, responder, report, onNotify, onHanded, offerTransfer }
  const startTcp = (tls?: EngineTls) => ThreadedTcp.start({ ...tcpParts, tls })
  const tcp = await startTcp()
  try {
    const tls = await openTls(options.tls, startTcp)
    const hosts = addresses.map(({ host }) => host)
    const own = { ...threads, responder, hosts, report, onNotify, onHanded }
    const udp = await ThreadedUdp.open(own).catch(error => {
      onFallback?.(reasonOf(error))
      return new EventLoopUdp(options)
    })
    return { udp, tcp, tls }
  } catch (error) {
    await tcp.close()
    throw error
  }
}

async function eventLoopEngines(options: ListenersOptions): Promise<Engines> {
  const { answer, report, offerTransfer } = options
  const transfers = offerTransfer && new Transfers(offerTransfer)
  const openTcp = (tls?: EngineTls) => new EventLoopTcp({ answer, report, tls, transfers })
  const tls = await openTls(options.tls, openTcp)
  return { udp: new EventLoopUdp(options), tcp: openTcp(), tls }
}

async function openTls(
  tls: TlsOptions | undefined,
  open: (tls: EngineTls) => TcpEngine | Promise<TcpEngine>,
): Promise<TlsEngine | undefined> {
  if (tls === undefined) return undefined
  const { addresses: dns, httpsAddresses: https = [], credentials } = tls
  const counts = newTlsCounts()
  return { engine: await open({ credentials, counts }), addresses: { dns, https }, counts }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Binds the address for UDP and TCP and returns it with the real port. */
async function openPair({ udp, tcp }: Engines, wanted: ListenAddress): Promise<ListenAddress> {
  for (let attempt = 1; ; attempt += 1) {
    const bound = await openOrExplain('udp', wanted, () => udp.bind(wanted))
    try {
      // With port 0 the system has now picked one for UDP; TCP must be found on the same.
      return await openOrExplain('tcp', bound.address, () => tcp.listen(bound.address))
    } catch (error) {
      await bound.close()
      const isRetriable = wanted.port === 0 && error instanceof ListenError
      if (!isRetriable || error.code !== 'EADDRINUSE' || attempt === maxPortAttempts) throw error
    }
  }
}

async function listenForTls(
  tls: TlsEngine | undefined,
  protocol: Protocol,
): Promise<readonly ListenAddress[]> {
  const bound: ListenAddress[] = []
  if (tls === undefined) return bound
  const { engine, addresses } = tls
  const transport = protocol === 'https' ? 'https' : 'tls'
  for (const address of addresses[protocol]) {
    const listen = () => engine.listen(address, protocol)
    bound.push(await openOrExplain(transport, address, listen))
  }
  return bound
}

async function openOrExplain<L>(
  transport: Transport | 'tls' | 'https',
  address: ListenAddress,
  open: () => Promise<L>,
): Promise<L> {
  try {
    return await open()
  } catch (error) {
    throw new ListenError(address, transport, error)
  }
}

async function closeAll({ udp, tcp, tls }: Engines): Promise<void> {
  await Promise.all([udp.close(), tcp.close(), tls?.engine.close()])
}
