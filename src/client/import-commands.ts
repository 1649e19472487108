import type { Command } from 'commander'
import { ClientError, exitCodes } from './client-error.ts'
import type { Context } from './context.ts'
import { bindZones, designateZones, type ForeignZone, powerDnsZones } from './foreign-zones.ts'
import { secretOf, withSecret } from './secret.ts'
import type { JsonObject, Session } from './session.ts'
import { importZone } from './zone-files.ts'
import { absoluteName, zonePath } from './zone-names.ts'

/** The number of zones that are imported concurrently. */
const width = 8

/** The result of importing a zone. */
type Outcome = { readonly status: string; readonly message: string }

type TakeOptions = { readonly replace?: boolean; readonly dryRun?: boolean }

/** `import …`: all zones of another server. */
export function addImportCommands(program: Command, context: Context): void {
  const command = program.command('import').description('take over all zones of another server')
  const add = (words: string, does: string) =>
    command
      .command(words)
      .description(does)
      .option('--replace', 'replace the content of existing zones')
      .option('--dry-run', 'only show what would be done')
  add('bind <directory>', 'of BIND, by the named.conf and zone files in a directory').action(
    async (directory, options) => {
      await importFiles(await bindZones(directory, context), options, context)
    },
  )
  withSecret(
    add('powerdns <url>', 'of PowerDNS, by its HTTP API, such as http://127.0.0.1:8081'),
    'api-key',
    'what lets in there',
  ).action(async (url, options) => {
    const apiKey = await secretOf('apiKey', options, context.readText)
    if (apiKey === undefined) throw new ClientError('--api-key is missing', exitCodes.usage)
    await importFiles(await powerDnsZones(url.replace(/\/+$/, ''), apiKey), options, context)
  })
  add(
    'designate',
    'of the Designate of a cloud, --os-cloud; into the server on this machine',
  ).action(async options => {
    const { from, to } = await context.betweenClouds()
    const { output } = context
    await importFiles(await designateZones(from), options, { output, server: to })
  })
  command
    .command('transfer <server> [zones...]')
    .description('of any name server that lets this one transfer them, such as 192.0.2.1:53')
    .option('--list <file>', 'a file with the name of a zone in each line, and comments after a #')
    .option('--transfer-key <name>', 'TSIG key of this server that the transfer is signed with')
    .option('--follow', 'keep following the server, until `zone promote`')
    .action(async (server, given, { list, transferKey, follow }) => {
      const listed = list === undefined ? '' : await context.readText(list)
      const names = listed.replaceAll(/(?<!\S)#.*/g, '').split(/\s+/)
      const zones = [...given, ...names].filter(name => name !== '').map(name => ({ name }))
      if (zones.length === 0)
        throw new ClientError('which zones? Name them, or give a --list', exitCodes.usage)
      const attributes = transferKey === undefined ? {} : { transfer_key: transferKey }
      const copy = { masters: [server], attributes, follows: follow === true }
      await takeAll(zones, context, (session, { name }) =>
        transferZone(session, name, copy, context),
      )
    })
}

/** @throws ClientError some could not be imported */
function importFiles(
  zones: readonly ForeignZone[],
  options: TakeOptions,
  context: Pick<Context, 'server' | 'output'>,
): Promise<void> {
  return takeAll(zones, context, (session, zone) => importFile(session, zone, options))
}

/** Imports zones, several at a time, and prints a line for each in their order. A zone that fails does not stop the others.
 *  @throws ClientError some could not be imported */
async function takeAll<Z extends { readonly name: string }>(
  zones: readonly Z[],
  { server, output }: Pick<Context, 'server' | 'output'>,
  take: (session: Session, zone: Z) => Promise<Outcome>,
): Promise<void> {
  // What is wrong with the login is said once.
  await server.logIn()
  const rows: JsonObject[] = []
  let next = 0
  let done = 0
  const work = async () => {
    while (next < zones.length) {
      const index = next++
      const zone = zones[index] as Z
      rows[index] = { name: zone.name, ...(await take(server, zone).catch(failed)) }
      output().progress(++done, zones.length)
    }
  }
  await Promise.all(Array.from({ length: width }, work))
  output().rows(rows, ['name', 'status', 'message'])
  const count = rows.filter(({ status }) => status === 'ERROR').length
  if (count > 0) throw new ClientError(`${count} of ${zones.length} zones were not imported`)
}

function failed(error: unknown): Outcome {
  if (!(error instanceof ClientError)) throw error
  return { status: 'ERROR', message: error.message }
}

async function importFile(
  session: Session,
  zone: ForeignZone,
  { replace, dryRun }: TakeOptions,
): Promise<Outcome> {
  if ('leftOut' in zone) return { status: 'LEFT_OUT', message: zone.leftOut }
  const text = await zone.file()
  const task = await importZone(session, text, {
    replaces: replace,
    isDryRun: dryRun,
    origin: zone.name,
  })
  const warning = signedWarning(text, zone.signedBy)
  const message = [task.message, ...(warning === undefined ? [] : [`WARNING: ${warning}`])]
  return { status: String(task.status), message: message.join('; ') }
}

/** What breaks where a zone was signed; undefined: it was not. */
function signedWarning(text: string, signedBy: string | undefined): string | undefined {
  if (hasType(text, 'RRSIG')) {
    return (
      'its file has signatures, which are answered until they expire, and it cannot be changed here: to have it signed here, ' +
      `import it without them, with its keys (${advice})`
    )
  }
  const signer = signedBy ?? (hasType(text, 'DNSKEY') ? 'a key in its file' : undefined)
  if (signer === undefined) return undefined
  return (
    `it was signed by ${signer}, and with a DS at the parent it validates here only once it is signed here by the same keys: ` +
    `bring them before its name servers change, or remove the DS (${advice})`
  )
}

const advice = 'docs/moving.md, Signed zones'

/** Whether a record of a zone file, on one line, has a type. TTL and class come before it in either order. */
function hasType(text: string, type: 'DNSKEY' | 'RRSIG'): boolean {
  return new RegExp(`^[^\\s;]*[ \\t]+(?:(?:\\d\\w*|IN)[ \\t]+){0,2}${type}[ \\t]`, 'im').test(text)
}

const pollMs = 100
const patienceMs = 120_000

/** Creates a zone as a SECONDARY of the server, and then makes it a PRIMARY unless it is to follow.
 *  @throws ClientError it was not transferred; then the zone is deleted again */
async function transferZone(
  session: Session,
  name: string,
  {
    masters,
    attributes,
    follows,
  }: {
    readonly masters: readonly string[]
    readonly attributes: object
    readonly follows: boolean
  },
  { pause }: Pick<Context, 'pause'>,
): Promise<Outcome> {
  const absolute = absoluteName(name)
  const draft = { name: absolute, type: 'SECONDARY', masters, attributes }
  const { id } = await session.json('POST', '/v2/zones', draft)
  const path = zonePath(String(id))
  try {
    await transferred(session, path, pause)
    if (follows) return { status: 'COMPLETE', message: `${absolute} follows ${masters.join()}` }
    await session.json('POST', `${path}/tasks/promote`)
    return { status: 'COMPLETE', message: `${absolute} transferred` }
  } catch (error) {
    await session.json('DELETE', path)
    throw error
  }
}

/** Waits for the first copy of a zone. A master that refuses it is reported at once.
 *  @throws ClientError */
async function transferred(session: Session, path: string, pause: Context['pause']): Promise<void> {
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += pollMs) {
    const { status, status_reason: reason } = await session.get(path)
    if (status === 'ACTIVE') return
    if (status === 'ERROR') throw new ClientError(String(reason))
    await pause(pollMs)
  }
  throw new ClientError(`the zone was not transferred within ${patienceMs / 1000} s`)
}
