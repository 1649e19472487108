import { rcodes, types } from '../../dns/codes.ts'
import { flags } from '../../dns/header.ts'
import { type Message, rcodeOfMessage } from '../../dns/message.ts'
import {
  formatName,
  isAtOrBelow,
  labelsOf,
  lowerCaseName,
  maxNameOctets,
  type Name,
  nameFromLabels,
  nameFromOctets,
  parentName,
  parseName,
} from '../../dns/name.ts'
import { exchange, requestFor, type Server } from './external-target-client.ts'
import {
  attempts,
  type GivenServers,
  hostsToAsk,
  maxAddresses,
  type ParentDsOptions,
  usualTimeoutMs,
} from './parent-ds.ts'
import { type NamedBy, type Reach, reachableAddresses } from './reach.ts'

// Notifies the parent of a zone that its CDS have changed, if the parent requests it by DSYNC records (RFC 9859). These are
// queried at the parent's servers, without validation: a forged record can only cause a NOTIFY to a third party, at a
// bounded rate.

/** A target of NOTIFY, and whether it acknowledged the NOTIFY. */
export type NotifiedTarget = Server & { readonly isAcknowledged: boolean }

export type DsyncOptions = ParentDsOptions & {
  /** Sends NOTIFY(CDS) for a zone to an address, a bounded number of times; returns whether it was answered. */
  readonly notify: (target: Server & { readonly namedBy: NamedBy }, zone: Name) => Promise<boolean>
}

/** RFC 9859 section 2.1 */
const notifyScheme = 1
const maxTargets = 4
/** Maximum servers that are tried until one answers. */
const maxServers = 4

/** Returns a function that notifies all targets that the parent of a zone names. It never rejects. */
export function dsyncNotifier(options: DsyncOptions) {
  return async (
    zoneName: string,
    given: GivenServers | undefined,
  ): Promise<readonly NotifiedTarget[]> => {
    const zone = parseName(zoneName)
    const namedBy = given?.namedBy ?? 'project'
    const { hosts } = await hostsToAsk(zoneName, given, options)
    const reach = options.reaches[namedBy]
    const targets = await targetsOf(zone, { ...options, hosts, reach })
    return Promise.all(
      targets.slice(0, maxTargets).map(async target => {
        const found = await reachableAddresses(target.host, reach).catch(() => [])
        const sent = found.slice(0, maxAddresses).map(host => {
          return options.notify({ host, port: target.port, namedBy }, zone)
        })
        return { ...target, isAcknowledged: (await Promise.all(sent)).includes(true) }
      }),
    )
  }
}

type Asking = DsyncOptions & { readonly hosts: readonly string[]; readonly reach: Reach }

/** RFC 9859 section 4.1: at `_dsync` in the parent, with and without the labels of the child. */
async function targetsOf(zone: Name, asking: Asking): Promise<readonly Server[]> {
  const [first = ''] = labelsOf(zone)
  const above = parentName(zone)
  const asked = await ask([first, '_dsync'], above, asking)
  if (asked === undefined || asked.targets.length > 0) return asked?.targets ?? []
  const { zoneAbove: parent } = asked
  if (parent === undefined || !isAtOrBelow(lowerCaseName(above), parent)) return []
  if (parent !== lowerCaseName(above)) {
    const labels = labelsOf(zone).slice(0, labelsOf(zone).length - labelsOf(parent).length)
    const below = await ask([...labels, '_dsync'], parent, asking)
    if (below === undefined || below.targets.length > 0) return below?.targets ?? []
  }
  return (await ask(['_dsync'], parent, asking))?.targets ?? []
}

type Answer = {
  readonly targets: readonly Server[]
  /** In lower case; undefined where there are records, or the server gives no SOA. */
  readonly zoneAbove: Name | undefined
}

/** The answer of the first server that gives one; undefined if none does. */
async function ask(
  labels: readonly string[],
  parent: Name,
  { hosts, parseServer, randomId, reach, timeoutMs = usualTimeoutMs }: Asking,
): Promise<Answer | undefined> {
  const name = nameWithin(labels, parent)
  if (name === undefined) return undefined
  for (const text of hosts.slice(0, maxServers)) {
    const server = parseServer(text)
    if (server === undefined) continue
    for (let left = attempts; left > 0; left -= 1) {
      const request = requestFor(name, { id: randomId(), type: types.DSYNC })
      const to = { host: server.host, port: server.port || 53 }
      const answer = await exchange(to, request, { timeoutMs, reach })
      const judged = answer.kind === 'answered' ? judge(answer.message) : undefined
      if (judged !== undefined) return judged
      if (answer.kind === 'answered') break
    }
  }
  return undefined
}

/** Undefined for a name that would be too long. */
function nameWithin(labels: readonly string[], parent: Name): Name | undefined {
  const octets = labels.reduce((sum, { length }) => sum + 1 + length, parent.length)
  return octets > maxNameOctets ? undefined : nameFromLabels(labels, parent)
}

function judge(message: Message): Answer | undefined {
  const { header, answers, authorities } = message
  const rcode = rcodeOfMessage(message)
  if (rcode !== rcodes.noError && rcode !== rcodes.nxDomain) return undefined
  if ((header.flags & flags.authoritative) === 0) return undefined
  const soa = authorities.find(({ type }) => type === types.SOA)
  return {
    targets: answers.flatMap(({ type, rdata }) => (type === types.DSYNC ? targetOf(rdata) : [])),
    zoneAbove: soa && lowerCaseName(soa.owner),
  }
}

function targetOf(rdata: Uint8Array): Server[] {
  const octets = Buffer.from(rdata)
  const [type, scheme, port] = [octets.readUInt16BE(0), octets[2], octets.readUInt16BE(3)]
  const host = formatName(nameFromOctets(octets, 5)).replace(/\.$/, '')
  const isWanted = type === types.CDS && scheme === notifyScheme && port !== 0 && host !== ''
  return isWanted ? [{ host, port }] : []
}
