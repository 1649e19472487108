import { randomInt } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import type { Config } from '../config/config.ts'
import { types } from '../dns/codes.ts'
import { parseEndpoint } from '../model/masters.ts'
import { type NamedBy, OutboundAddresses } from '../model/outbound-address.ts'
import type { AskParent, NotifyParent } from '../service/dnssec/parent-check.ts'
import { HostAddresses } from '../service/targets/host-addresses.ts'
import type { AskServer } from '../service/targets/zone-servers.ts'
import { AxfrClient } from '../transport/outbound/axfr.ts'
import { dsyncNotifier } from '../transport/outbound/dsync.ts'
import { ExternalTargetClient } from '../transport/outbound/external-target-client.ts'
import { dnsAddresses, systemAddresses } from '../transport/outbound/host-addresses.ts'
import { parentDsClient } from '../transport/outbound/parent-ds.ts'
import { type Reach, reachableAddresses } from '../transport/outbound/reach.ts'
import { zoneAnswersClient } from '../transport/outbound/zone-answers.ts'
import type { CertificateFiles } from '../transport/tls-certificate.ts'

// The composition root's part for outbound connections, all of which go only to allowed addresses.

export type Outbound = {
  /** The addresses that may be connected to. */
  readonly outboundAddresses: OutboundAddresses
  readonly reaches: Readonly<Record<NamedBy, Reach>>
  /** Fetches zones from their masters. */
  readonly transferClient: AxfrClient
  /** Queries and notifies external name servers. */
  readonly externalTargetClient: Pick<ExternalTargetClient, 'probe' | 'notify'>
  /** Asks the parents of zones for DS. */
  readonly askParent: AskParent
  /** Notifies the parents of zones that CDS have changed. */
  readonly notifyParent: NotifyParent
  /** The addresses of host names that users have set. */
  readonly hosts: HostAddresses
  /** Queries a server of a zone. */
  readonly askServer: AskServer
}

export function openOutbound(
  { outboundNetworks: allowed }: Config,
  certificate: CertificateFiles | undefined,
): Outbound {
  const outboundAddresses = new OutboundAddresses({ allowed, ownAddresses })
  const reachOf = (namedBy: NamedBy, resolve: Reach['resolve']): Reach => ({
    problemOf: (address, host) => outboundAddresses.problemOf(namedBy, address, host),
    resolve,
  })
  const reaches = {
    project: reachOf('project', dnsAddresses),
    operator: reachOf('operator', systemAddresses),
  }
  const randomWord = () => randomInt(2 ** 32)
  const randomId = () => randomWord() & 0xffff
  const externalTargetClient = new ExternalTargetClient({ randomId, reaches })
  const parentOptions = { randomId, reaches, parseServer: parseEndpoint }
  return {
    outboundAddresses,
    reaches,
    hosts: new HostAddresses({
      resolveHost: (host, namedBy) => reachableAddresses(host, reaches[namedBy]),
    }),
    transferClient: new AxfrClient({
      randomWord,
      reaches,
      credentials: () => certificate?.credentials,
    }),
    askParent: parentDsClient(parentOptions),
    notifyParent: dsyncNotifier({
      ...parentOptions,
      notify: async (target, zone) => {
        const { signal } = new AbortController()
        const options = { signal, type: types.CDS, maxAttempts: 3 }
        return (await externalTargetClient.notify(target, zone, options)) === undefined
      },
    }),
    externalTargetClient,
    askServer: zoneAnswersClient({ randomId, reaches }),
  }
}

/** Read each time, as they may change. */
function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap(
    list => list?.map(({ address }) => address) ?? [],
  )
}
