import { formatName } from '../dns/name.ts'
import { rcodeText } from '../dns/rcode-text.ts'
import { typeMnemonic } from '../dns/rdata/mnemonic.ts'
import type { TappedQuery } from '../nameserver/tap-reader.ts'
import { formatClient, networkOf } from './client-address.ts'
import { type DnstapSource, dnstapFrame, startFrame, stopFrame } from './dnstap.ts'
import { questionOf } from './question.ts'

/** A destination for octets. Writers do not wait for it; what it cannot take is lost. */
export type LogSink = {
  write(octets: Uint8Array): void
  /** The number of dropped writes. */
  readonly lostCount: number
  close(): Promise<void>
}

type QueryLogOptions = {
  /** Lines of JSON. */
  readonly lines: LogSink | undefined
  readonly dnstap: LogSink | undefined
  readonly source: DnstapSource
  /** Whether only the networks of clients are kept. */
  readonly hidesHosts: boolean
  /** The name of the zone that has a zone number in the table. */
  readonly zoneNameOf: (zoneNumber: number) => string | undefined
}

/** Writes single queries: as lines of JSON, and as dnstap. */
export class QueryLog {
  readonly #options: QueryLogOptions

  constructor(options: QueryLogOptions) {
    this.#options = options
  }

  /** Writes a query that a rule of the log selects. */
  note(query: TappedQuery): void {
    if (query.rules === 0) return
    const { lines, dnstap, source, hidesHosts } = this.#options
    lines?.write(Buffer.from(`${this.#lineOf(query)}\n`))
    const client = hidesHosts ? networkOf(query.client) : query.client
    dnstap?.write(dnstapFrame(query, client, source))
  }

  /** The queries that each destination did not take. */
  get lostCounts(): Readonly<Record<'lines' | 'dnstap', number>> {
    const { lines, dnstap } = this.#options
    return { lines: lines?.lostCount ?? 0, dnstap: dnstap?.lostCount ?? 0 }
  }

  async close(): Promise<void> {
    const { lines, dnstap } = this.#options
    await Promise.all([lines?.close(), dnstap?.close()])
  }

  #lineOf({
    atMillis,
    client,
    transport,
    zoneNumber,
    rcode,
    request,
    sentOctets,
  }: TappedQuery): string {
    const { hidesHosts, zoneNameOf } = this.#options
    const question = questionOf(request)
    return JSON.stringify({
      time: new Date(atMillis).toISOString(),
      client: formatClient(client, hidesHosts),
      transport,
      name: question && formatName(question.name),
      type: question && typeMnemonic(question.type),
      class: question?.class,
      rcode: rcodeText(rcode),
      octets: sentOctets,
      zone: zoneNumber === undefined ? undefined : zoneNameOf(zoneNumber),
    })
  }
}

/** The frames that a dnstap file begins and ends with. */
export const dnstapEnds = { head: startFrame(), tail: stopFrame() }
