import type { Command } from 'commander'
import { projectIdOf } from './account-commands.ts'
import { ClientError, exitCodes, moment } from './client-error.ts'
import type { Context } from './context.ts'
import { parseJson } from './json-text.ts'
import { type JsonObject, type Method, queryOf } from './session.ts'

const nodeColumns = [
  'name',
  'url',
  'status',
  'has_duty',
  'lsn',
  'commits_behind',
  'copy_behind',
  'seen_seconds_ago',
  'problem',
]

/** What usage is grouped by. */
const attributes = [
  ...['type', 'project_id', 'zone_name', 'zone_type', 'id', 'pool_id', 'rcode', 'transport'],
  ...['time', 'time-d', 'time-w', 'time-m', 'time-y'],
]

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** `backup`, `status`, `nodes`, `usage`, `invoice`, `request`: backups, the state of the server and its nodes, usage and its
 *  cost, and any other request. */
export function addOperatingCommands(program: Command, context: Context): void {
  const { server, output, readText, saveBackup } = context
  program
    .command('backup <file>')
    .description(
      'write all that the server stores to an archive (- for standard output), with all secrets in it',
    )
    .action(async (file: string) => {
      const { fileCount: files, octets } = await saveBackup(file, server.octets('/admin/backup'))
      if (file !== '-')
        output().done(`${files} files, ${octets} octets: ${file}`, { file, files, octets })
    })
  program
    .command('status')
    .description('show the status of each part of the server, for administrators')
    .action(async () => {
      const rows = await server.list('/v2/service_statuses', 'service_statuses')
      output().rows(rows, ['service_name', 'status', 'stats'])
    })
  const nodes = program
    .command('nodes')
    .description('show the nodes that share the store, for administrators')
    .action(async () => output().rows(await server.list('/v2/nodes', 'nodes'), nodeColumns))
  nodes
    .command('remove <name>')
    .description('forget a node that will not come back')
    .action(async (name: string) => {
      await server.json('DELETE', `/v2/nodes/${encodeURIComponent(name)}`)
      output().done(`${name} is forgotten`)
    })
  addCosts(program, context)
  program
    .command('request <method> <path> [file]')
    .description(
      'send any request of the API, with the JSON of a file (- for standard input) as its body',
    )
    .action(async (method: string, path: string, file?: string) => {
      const name = methods.find(one => one === method.toUpperCase())
      if (name === undefined)
        throw new ClientError(`${method} is none of ${methods.join(', ')}`, exitCodes.usage)
      const json = file === undefined ? undefined : parseJson(file, await readText(file))
      const rooted = path.startsWith('/') ? path : `/${path}`
      const body = json === undefined ? undefined : { json }
      const reply = await server.text(name satisfies Method, rooted, body)
      output().text(readable(reply))
    })
}

function addCosts(program: Command, { server, output }: Context): void {
  program
    .command('usage')
    .description('show what was used and what it costs, by default in this month')
    .option('--begin <time>', 'such as 2026-11-01', moment)
    .option('--end <time>', 'not included', moment)
    .option('--by <attribute...>', `${attributes.join(', ')} … (default: type)`)
    .action(async ({ begin, end, by = ['type'] }) => {
      const query = queryOf({ groupby: by.join(','), begin, end })
      const summary = await server.get(`/v2/summary?${query}`)
      const columns = summary.columns as readonly string[]
      const results = summary.results as readonly (readonly unknown[])[]
      const rows = results.map(row => Object.fromEntries(columns.map((name, i) => [name, row[i]])))
      requireUsed(by, rows)
      output().rows(rows, columns)
    })
  program
    .command('invoice [month]')
    .description(
      'show what a month has cost, zone by zone; this month, as far as it goes, by default',
    )
    .option('--project <name>', 'of another project, by its name or id, for administrators')
    .option('--format <format>', 'csv or html, to be saved or printed')
    .action(async (month, { project, format }) => {
      const of = project ? await projectIdOf(server, project) : await server.projectId()
      const path = `/v2/invoices/${of}/${month ?? new Date().toISOString().slice(0, 7)}`
      if (format !== undefined) {
        output().text(await server.text('GET', `${path}?format=${format}`))
        return
      }
      output().invoice(await server.get(path))
    })
}

/** @throws ClientError nothing that was used has one of the attributes: points from outside may have others than ours */
function requireUsed(by: readonly string[], rows: readonly JsonObject[]): void {
  const unknown = by
    .flatMap(text => text.split(','))
    .find(name => !attributes.includes(name) && rows.every(row => !row[name]))
  if (unknown === undefined) return
  const known = attributes.join(', ')
  throw new ClientError(`--by ${unknown}: no usage has it; there are ${known}`, exitCodes.usage)
}

/** JSON with a line for each field; other text as it is. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
