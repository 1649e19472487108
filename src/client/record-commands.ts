import type { Command } from 'commander'
import { ClientError, wholeNumber } from './client-error.ts'
import type { Context } from './context.ts'
import { type JsonObject, queryOf, type Session } from './session.ts'
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
      const owner = name === undefined ? undefined : await absoluteName(server, { zone, name })
      const query = queryOf({ limit: '1000', type: type?.toUpperCase(), name: owner })
      const path = `${zonePath(zone)}/recordsets?${query}`
      output().rows(await server.list(path, 'recordsets'), columns)
    })
  const addPut = (
    { verb, does }: { readonly verb: string; readonly does: string },
    recordsOf: (values: readonly string[], present: readonly string[]) => readonly string[],
  ) =>
    record
      .command(`${verb} <zone> <name> <type> <value...>`)
      .description(does)
      .option(
        '--ttl <seconds>',
        'how long it may be cached; that of the zone by default',
        wholeNumber,
      )
      .action(async (zone, name, type, values, { ttl }) => {
        const named = { zone, name, type }
        const found = await find(server, named)
        const records = recordsOf(values, (found?.records ?? []) as readonly string[])
        output().rows([await put(server, named, { id: found?.id, records, ttl })], columns)
      })
  addPut({ verb: 'set', does: 'create a recordset, or replace its values' }, values => values)
  addPut(
    { verb: 'add', does: 'add values to a recordset, which is created if there is none' },
    (values, present) => [...new Set([...present, ...values])],
  )
  record
    .command('delete <zone> <name> <type> [value...]')
    .description('delete a recordset, or these values of it')
    .action(async (zone, name, type, values: readonly string[]) => {
      const found = await find(server, { zone, name, type })
      if (found === undefined) throw new ClientError(`there is no ${type} at ${name}`)
      const { id } = found
      const line = { id, records: values.length > 0 ? values : undefined }
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

/** Replaces the recordset with an id, or creates it. */
async function put(
  session: Session,
  { zone, name, type }: Named,
  { id, ...fields }: JsonObject,
): Promise<JsonObject> {
  const path = `${zonePath(zone)}/recordsets`
  if (id !== undefined) return session.json('PUT', `${path}/${id}`, fields)
  const named = { name: asciiName(name), type: type.toUpperCase() }
  return session.json('POST', path, { ...named, ...fields })
}
