import type { Command } from 'commander'
import { ClientError, wholeNumber } from './client-error.ts'
import type { Context } from './context.ts'
import type { JsonObject, Session } from './session.ts'
import { asciiName, ownerName, zoneOf, zonePath } from './zone-names.ts'

const columns = ['name', 'ttl', 'type', 'records']

/** A recordset as the user names it. */
type Named = { readonly zone: string; readonly name: string; readonly type: string }

/** `record …`: recordsets of a zone. */
export function addRecordCommands(program: Command, { server, output }: Context): void {
  const record = program.command('record').description('recordsets')
  record
    .command('list <zone> [name]')
    .description('list recordsets')
    .option('--type <type>')
    .action(async (zone, name, { type }) => {
      const query = new URLSearchParams({
        limit: '1000',
        ...(type && { type: type.toUpperCase() }),
      })
      if (name !== undefined) query.set('name', await absoluteName(server, { zone, name }))
      const path = `${zonePath(zone)}/recordsets?${query}`
      output().rows(await server.list(path, 'recordsets'), columns)
    })
  record
    .command('set <zone> <name> <type> <value...>')
    .description('create a recordset, or replace its values')
    .option(
      '--ttl <seconds>',
      'how long it may be cached; that of the zone by default',
      wholeNumber,
    )
    .action(async (zone, name, type, records, { ttl }) => {
      const named = { zone, name, type }
      output().rows(
        [await put(server, named, { records, ttl, found: await find(server, named) })],
        columns,
      )
    })
  record
    .command('add <zone> <name> <type> <value...>')
    .description('add values to a recordset, which is created if there is none')
    .option(
      '--ttl <seconds>',
      'how long it may be cached; that of the zone by default',
      wholeNumber,
    )
    .action(async (zone, name, type, values, { ttl }) => {
      const named = { zone, name, type }
      const found = await find(server, named)
      const records = [...new Set([...valuesOf(found), ...values])]
      output().rows([await put(server, named, { records, ttl, found })], columns)
    })
  record
    .command('delete <zone> <name> <type> [value...]')
    .description('delete a recordset, or these values of it')
    .action(async (zone, name, type, values: readonly string[]) => {
      const found = await find(server, { zone, name, type })
      if (found === undefined) throw new ClientError(`there is no ${type} at ${name}`)
      const { id } = found
      const line = { id, ...(values.length > 0 && { records: values }) }
      const path = zonePath(zone)
      const done = await server.json('POST', `${path}/changes`, { delete: [line] })
      if ((done.deleted as readonly unknown[]).length === 0)
        output().rows([await server.get(`${path}/recordsets/${id}`)], columns)
      else output().done(`${found.name} ${found.type} is deleted`)
    })
}

async function absoluteName(
  session: Session,
  { zone, name }: Pick<Named, 'zone' | 'name'>,
): Promise<string> {
  return ownerName(name, String((await zoneOf(session, zone)).name))
}

async function find(
  session: Session,
  { zone, name, type }: Named,
): Promise<JsonObject | undefined> {
  const query = new URLSearchParams({
    name: await absoluteName(session, { zone, name }),
    type: type.toUpperCase(),
  })
  const [found] = await session.list(`${zonePath(zone)}/recordsets?${query}`, 'recordsets')
  return found
}

function valuesOf(recordset: JsonObject | undefined): readonly string[] {
  return (recordset?.records ?? []) as readonly string[]
}

async function put(
  session: Session,
  { zone, name, type }: Named,
  {
    records,
    ttl,
    found,
  }: {
    readonly records: readonly string[]
    readonly ttl: number | undefined
    readonly found: JsonObject | undefined
  },
): Promise<JsonObject> {
  const path = `${zonePath(zone)}/recordsets`
  const body = { records, ...(ttl !== undefined && { ttl }) }
  return found === undefined
    ? session.json('POST', path, {
        name: asciiName(name),
        type: type.toUpperCase(),
        ...body,
      })
    : session.json('PUT', `${path}/${found.id}`, body)
}
