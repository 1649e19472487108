import type { Command } from 'commander'
import { projectIdOf } from './account-commands.ts'
import { ClientError, exitCodes, oneOf, wholeNumber } from './client-error.ts'
import type { Context } from './context.ts'
import { type JsonObject, queryOf, type Session } from './session.ts'
import { differenceLines, exportPastZone, exportZone, importZone } from './zone-files.ts'
import { absoluteName, asciiName, deletedZoneId, zoneOf, zonePath } from './zone-names.ts'

const columns = ['name', 'type', 'status', 'serial', 'ttl', 'id']

const states = ['ACTIVE', 'PENDING', 'ERROR']
const signings = ['UNSIGNED', 'SIGNING', 'SIGNED', 'UNSIGNING', 'PRESIGNED']

type ZoneFields = {
  readonly email?: string
  readonly ttl?: number
  readonly description?: string
  readonly master?: readonly string[]
  readonly attribute?: readonly string[]
}

/** `zone …`: zones and zone files. */
export function addZoneCommands(program: Command, context: Context): void {
  const zone = program.command('zone').description('zones and zone files')
  addReading(zone, context)
  addWriting(zone, context)
  addTransfers(zone, context)
  addFiles(zone, context)
}

function addReading(zone: Command, { server, output }: Context): void {
  zone
    .command('list')
    .description('list zones')
    .option('--name <pattern>', 'only names like this; * stands for anything')
    .option('--status <status>', `only zones in this state: ${states.join(', ')}`, oneOf(states))
    .option('--dnssec <status>', `only zones that are ${signings.join(', ')}`, oneOf(signings))
    .action(async ({ name, status, dnssec }) => {
      const wanted = { name: name && asciiName(name), status, dnssec_status: dnssec }
      const query = queryOf({ limit: '1000', sort_key: 'name', ...wanted })
      output().rows(await server.list(`/v2/zones?${query}`, 'zones'), columns)
    })
  zone
    .command('show <zone>')
    .description('show a zone')
    .action(async name => output().object(await zoneOf(server, name)))
  zone
    .command('deleted')
    .description('list deleted zones that can be restored')
    .option('--name <pattern>', 'only names like this; * stands for anything')
    .action(async ({ name }) => {
      const query = queryOf({ limit: '1000', name: name && asciiName(name) })
      const found = await server.list(`/v2/deleted_zones?${query}`, 'deleted_zones')
      output().rows(found, ['name', 'type', 'serial', 'deleted_at', 'id'])
    })
}

function addWriting(zone: Command, { server, output, confirm }: Context): void {
  const withFields = (command: Command) =>
    command
      .option('--email <address>', 'of the person responsible')
      .option('--ttl <seconds>', 'TTL of recordsets without their own', wholeNumber)
      .option('--description <text>')
      .option('--master <address...>', 'of a SECONDARY zone')
      .option('--attribute <key=value...>', 'such as allow_transfer=192.0.2.1')
  withFields(zone.command('create <name>').description('create a zone'))
    .option('--secondary', 'a copy that follows its masters')
    .action(async (name, options) => {
      const type = options.secondary && 'SECONDARY'
      const body = { name: absoluteName(name), type, ...fieldsOf(options) }
      output().object(await server.json('POST', '/v2/zones', body))
    })
  withFields(zone.command('set <zone>').description('change a zone')).action(
    async (name, options) => {
      const fields = fieldsOf(options)
      if (Object.values(fields).every(value => value === undefined))
        throw new ClientError('nothing is given to change; see --help', exitCodes.usage)
      output().object(await server.json('PATCH', zonePath(name), fields))
    },
  )
  zone
    .command('delete <zone>')
    .description('delete a zone with all its recordsets')
    .option('-y, --yes', 'without asking')
    .action(async (name, { yes }) => {
      const { name: fullName } = await zoneOf(server, name)
      if (!yes && !(await confirm(`Delete ${fullName} with all its recordsets`)))
        throw new ClientError('nothing was deleted; --yes deletes without asking')
      await server.json('DELETE', zonePath(name))
      output().done(`${fullName} is deleted`)
    })
  zone
    .command('restore <zone>')
    .description('restore a deleted zone, by its id or as the last one of its name')
    .action(async name => {
      const id = await deletedZoneId(server, name)
      output().object(await server.json('POST', `/v2/deleted_zones/${id}/restore`))
    })
}

/** To and from other servers, and other projects. */
function addTransfers(zone: Command, { server, output }: Context): void {
  zone
    .command('transfer <zone>')
    .description(
      'offer a zone to another project, which accepts it with the id and key of the offer',
    )
    .option('--project <project>', 'only to this one, by its name or id')
    .option('--description <text>')
    .action(async (name, { project, description }) => {
      const target = project && (await projectIdOf(server, project))
      const path = `${zonePath(name)}/tasks/transfer_requests`
      const body = { description, target_project_id: target }
      output().object(await server.json('POST', path, body))
    })
  zone
    .command('accept <id> <key>')
    .description('take over a zone that another project has offered')
    .action(async (id, key) => {
      const body = { key, zone_transfer_request_id: id }
      const accepted = await server.json('POST', '/v2/zones/tasks/transfer_accepts', body)
      output().object(await zoneOf(server, String(accepted.zone_id)))
    })
  zone
    .command('notify <zone>')
    .description('send NOTIFY to the secondaries of a zone')
    .action(async name => {
      const { name: fullName } = await zoneOf(server, name)
      const id = encodeURIComponent(String(fullName))
      await server.json('PUT', `/api/v1/servers/localhost/zones/${id}/notify`)
      output().done('NOTIFY is sent')
    })
  zone
    .command('retransfer <zone>')
    .description('have a SECONDARY zone query its masters now')
    .option('--whole', 'take the whole zone, even if its serial is not newer')
    .action(async (name, { whole }) => {
      await server.json('POST', `${zonePath(name)}/tasks/xfr${whole ? '?whole=true' : ''}`)
      output().done('the masters are asked')
    })
  zone
    .command('promote <zone>')
    .description(
      'make a SECONDARY zone a PRIMARY with the same content, to take it over from its masters',
    )
    .action(async name =>
      output().object(await server.json('POST', `${zonePath(name)}/tasks/promote`)),
    )
}

function fieldsOf({ email, ttl, description, master, attribute }: ZoneFields): JsonObject {
  const attributes = attribute && Object.fromEntries(attribute.map(pairOf))
  return { email, ttl, description, masters: master, attributes }
}

/** @throws ClientError it has no `=` */
function pairOf(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw new ClientError(`"${text}" must be <key>=<value>`, exitCodes.usage)
  return [text.slice(0, at), text.slice(at + 1)]
}

function addFiles(zone: Command, context: Context): void {
  const { server, output, readText } = context
  zone
    .command('import <file>')
    .description('create a zone from a zone file; - reads standard input')
    .option('--origin <name>', 'the zone that relative names are below, if the file has no $ORIGIN')
    .option('--replace', 'replace the content of an existing zone')
    .option('--dry-run', 'only show what would be done')
    .action(async (file, { origin, replace, dryRun }) => {
      const options = { origin, replaces: replace, isDryRun: dryRun }
      const task = await importZone(server, await readText(file), options).catch(advised)
      output().difference(differenceLines(task))
      output().done(String(task.message))
    })
  zone
    .command('export <zone>')
    .description('print a zone as a zone file')
    .option('--at <moment>', 'as it was with a serial, or at a time')
    .action(async (name, { at }) => {
      const text = at === undefined ? exportZone(server, name) : exportPastZone(server, name, at)
      output().text(await text)
    })
  zone
    .command('edit <zone>')
    .description('edit a zone as a zone file in $EDITOR; what changes is shown before it is done')
    .option('-y, --yes', 'without asking')
    .action(async (name, { yes }) => editZone(server, name, { ...context, isSure: yes }))
}

/** Names the option that would help. */
function advised(error: unknown): never {
  if (!(error instanceof ClientError)) throw error
  const { message, exitCode } = error
  if (message.startsWith('Duplicate zone'))
    throw new ClientError(`${message} --replace makes it the same as the file.`, exitCode)
  if (message.startsWith('The $ORIGIN'))
    throw new ClientError(`${message} --origin gives it for a file that does not.`, exitCode)
  throw error
}

async function editZone(
  session: Session,
  name: string,
  { output, confirm, edit, isSure }: Context & { readonly isSure: boolean | undefined },
): Promise<void> {
  const before = await exportZone(session, name)
  const { name: origin } = await zoneOf(session, name)
  const after = await edit(before, `${origin}zone`)
  if (after === before) {
    output().done('nothing was changed')
    return
  }
  const options = { origin: String(origin), replaces: true }
  const lines = differenceLines(await importZone(session, after, { ...options, isDryRun: true }))
  if (lines.length === 0) {
    output().done('nothing was changed')
    return
  }
  output().difference(lines)
  if (!isSure && !(await confirm('Apply these changes')))
    throw new ClientError('nothing was changed')
  output().done(String((await importZone(session, after, options)).message))
}
