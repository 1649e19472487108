import { Resolver } from 'node:dns/promises'
import { rcodes, types } from '../../dns/codes.ts'
import { flags } from '../../dns/header.ts'
import { type Message, rcodeOfMessage } from '../../dns/message.ts'
import { lowerCaseName, type Name, parseName } from '../../dns/name.ts'
import { exchange, requestFor, type Server } from './external-target-client.ts'
import { type Asking, type NamedBy, type Reach, reachableAddresses } from './reach.ts'

// Queries the servers of a parent zone for the DS of a zone. A missing answer proves nothing: a server that does not
// answer, or not authoritatively, is shown with its error.

type ServerDs = {
  readonly host: string
  readonly ds: readonly string[]
  readonly ttlSeconds: number | null
  readonly error: string | null
}

export type ParentDsOptions = Asking & {
  readonly parseServer: (text: string) => Server | undefined
  /** Returns the names of a zone's name servers; none if the name is no zone. @throws Error that is not known */
  readonly nameServersOf?: (zone: string) => Promise<readonly string[]>
  readonly timeoutMs?: number
}

export type GivenServers = {
  readonly hosts: readonly string[]
  readonly namedBy: NamedBy
}

/** The timeout of one answer. */
export const usualTimeoutMs = 2_000
export const attempts = 2
/** Maximum servers of a parent, and addresses of each. */
const maxServers = 20
export const maxAddresses = 4
const dnsPort = 53

/** Queries all given servers, or all that the parent zone names. Never rejects. */
export function parentDsClient(options: ParentDsOptions) {
  const { reaches, parseServer } = options
  return async (
    zone: string,
    given: GivenServers | undefined,
  ): Promise<{ parent: string | null; servers: ServerDs[] }> => {
    const name = parseName(zone)
    const { parent, hosts } = await hostsToAsk(zone, given, options)
    const reach = reaches[given?.namedBy ?? 'project']
    const servers = hosts.slice(0, maxServers).map(async text => {
      const server = parseServer(text)
      if (server === undefined) return { host: text, ...unknown('it is no name of a server') }
      return { host: text, ...(await askServer(server, { name, reach, ...options })) }
    })
    return { parent, servers: await Promise.all(servers) }
  }
}

/** The given servers, or those that the parent zone names. */
export async function hostsToAsk(
  zone: string,
  given: GivenServers | undefined,
  { nameServersOf = systemNameServers }: Pick<ParentDsOptions, 'nameServersOf'>,
): Promise<{ readonly parent: string | null; readonly hosts: readonly string[] }> {
  if (given !== undefined) return { parent: null, hosts: given.hosts }
  return (await parentOf(zone, nameServersOf)) ?? { parent: null, hosts: [] }
}

/** The nearest zone above a name, with its servers; undefined where that is not known. */
async function parentOf(
  zone: string,
  nameServersOf: (zone: string) => Promise<readonly string[]>,
): Promise<{ readonly parent: string; readonly hosts: readonly string[] } | undefined> {
  const labels = zone.replace(/\.$/, '').split('.')
  for (let from = 1; from <= labels.length; from += 1) {
    const parent = `${labels.slice(from).join('.')}.`
    try {
      const hosts = await nameServersOf(parent)
      if (hosts.length > 0) return { parent, hosts }
    } catch {
      return undefined
    }
  }
  return undefined
}

async function systemNameServers(zone: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: usualTimeoutMs, tries: attempts })
  try {
    return await resolver.resolveNs(zone === '.' ? '' : zone.replace(/\.$/, ''))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENODATA' || code === 'ENOTFOUND') return []
    throw error
  }
}

type AskingForDs = Pick<ParentDsOptions, 'randomId' | 'timeoutMs'> & {
  readonly name: Name
  readonly reach: Reach
}

/** Queries all addresses of a server; at least one must answer, and all that answer must agree. */
async function askServer(server: Server, asking: AskingForDs): Promise<Omit<ServerDs, 'host'>> {
  let addresses: readonly string[]
  try {
    addresses = await reachableAddresses(server.host, asking.reach)
  } catch (error) {
    return unknown((error as Error).message)
  }
  if (addresses.length === 0) return unknown('its name has no address')
  const port = server.port || dnsPort
  const answers = await Promise.all(
    addresses.slice(0, maxAddresses).map(host => askAddress({ host, port }, asking)),
  )
  const [first, ...others] = answers.filter(({ error }) => error === null)
  if (first === undefined) return answers[0] ?? unknown('it has no address')
  const differs = others.some(({ ds }) => ds.join() !== first.ds.join())
  return differs ? unknown('its addresses have different DS') : first
}

async function askAddress(
  server: Server,
  { name, reach, randomId, timeoutMs = usualTimeoutMs }: AskingForDs,
): Promise<Omit<ServerDs, 'host'>> {
  let reason = ''
  for (let left = attempts; left > 0; left -= 1) {
    const request = requestFor(name, { id: randomId(), type: types.DS })
    const answer = await exchange(server, request, { timeoutMs, reach })
    if (answer.kind === 'answered') return judged(answer.message, name)
    reason = answer.reason
  }
  return unknown(reason)
}

/** The result of an answer, if it comes from the parent. */
function judged(message: Message, name: Name): Omit<ServerDs, 'host'> {
  const rcode = rcodeOfMessage(message)
  if (rcode !== rcodes.noError) return unknown(`it answers with code ${rcode}`)
  if ((message.header.flags & flags.authoritative) === 0) {
    return unknown('it has no authority over the parent')
  }
  if ((message.header.flags & flags.truncated) !== 0) {
    return unknown('its answer does not fit into a datagram')
  }
  const own = lowerCaseName(name)
  // A server of the zone itself returns no DS at the apex: it is not the parent (RFC 4035 section 3.1.4.1).
  const isChild = message.authorities.some(({ type, owner }) => {
    return type === types.SOA && lowerCaseName(owner) === own
  })
  if (isChild) return unknown('it serves the zone itself and not its parent')
  const records = message.answers.filter(({ type, owner }) => {
    return type === types.DS && lowerCaseName(owner) === own
  })
  const ttls = records.map(({ ttlSeconds }) => ttlSeconds)
  return {
    ds: records.map(({ rdata }) => dsText(rdata)).sort(),
    ttlSeconds: ttls.length === 0 ? null : Math.max(...ttls),
    error: null,
  }
}

function dsText(rdata: Uint8Array): string {
  const octets = Buffer.from(rdata)
  if (octets.length < 4) return ''
  const digest = octets.toString('hex', 4)
  return `${octets.readUInt16BE(0)} ${octets[2]} ${octets[3]} ${digest}`
}

function unknown(error: string): Omit<ServerDs, 'host'> {
  return { ds: [], ttlSeconds: null, error }
}
