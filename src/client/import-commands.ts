import type { Command } from 'commander'
import { ClientError } from './client-error.ts'
import type { Context } from './context.ts'
import type { JsonObject, Session } from './session.ts'
import { exportZone, importZone } from './zone-files.ts'

/** A zone of another server: its file, or why it is left out. */
type Source =
  | { readonly name: string; readonly file: () => Promise<string> }
  | { readonly name: string; readonly leftOut: string }

/** `import …`: all zones of another server. */
export function addImportCommands(program: Command, context: Context): void {
  const command = program.command('import').description('take over all zones of another server')
  const add = (words: string, does: string) =>
    command
      .command(words)
      .description(does)
      .option('--replace', 'make zones that exist the same')
      .option('--dry-run', 'only say what would be done')
  add('bind <directory>', 'of BIND, by the named.conf and zone files in a directory').action(
    async (directory, options) => {
      await importAll(await bindZones(directory, context), options, context)
    },
  )
  add('powerdns <url>', 'of PowerDNS, by its HTTP API, such as http://127.0.0.1:8081')
    .requiredOption('--api-key <key>', 'what lets in there')
    .action(async (url, { apiKey, ...options }) => {
      await importAll(await powerDnsZones(url.replace(/\/+$/, ''), apiKey), options, context)
    })
  add(
    'designate',
    'of the Designate of a cloud, --os-cloud; into the server on this machine',
  ).action(async options => {
    const { from, to } = await context.betweenClouds()
    const { output } = context
    await importAll(await designateZones(from), options, { output, session: async () => to })
  })
}

/** Imports one after the other and prints a line for each. What fails keeps no other from being imported.
 *  @throws ClientError some could not be imported */
async function importAll(
  sources: readonly Source[],
  { replace, dryRun }: { readonly replace?: boolean; readonly dryRun?: boolean },
  { session, output }: Pick<Context, 'session' | 'output'>,
): Promise<void> {
  const asking = await session()
  const rows: JsonObject[] = []
  for (const source of sources) {
    const outcome = await importOne(asking, source, { replaces: replace, isDryRun: dryRun })
    rows.push({ name: source.name, ...outcome })
    output().progress(rows.length, sources.length)
  }
  output().rows(rows, ['name', 'status', 'message'])
  const failed = rows.filter(({ status }) => status === 'ERROR').length
  if (failed > 0) throw new ClientError(`${failed} of ${sources.length} zones were not imported`)
}

async function importOne(
  session: Session,
  source: Source,
  options: { readonly replaces: boolean | undefined; readonly isDryRun: boolean | undefined },
): Promise<{ readonly status: string; readonly message: string }> {
  if ('leftOut' in source) return { status: 'LEFT_OUT', message: source.leftOut }
  try {
    const task = await importZone(session, await source.file(), { ...options, origin: source.name })
    return { status: String(task.status), message: String(task.message) }
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    return { status: 'ERROR', message: error.message }
  }
}

const mainFiles = ['named.conf', 'named.conf.local', 'named.conf.default-zones']

/** The zones that the configuration names; only primaries have a file that is theirs. */
async function bindZones(
  directory: string,
  { readText }: Pick<Context, 'readText'>,
): Promise<readonly Source[]> {
  const texts: string[] = []
  for (const name of mainFiles) texts.push(await readText(`${directory}/${name}`).catch(() => ''))
  const text = texts.join('\n').replaceAll(/\/\*[\s\S]*?\*\/|(?:\/\/|#).*$/gm, '')
  const zones = [...text.matchAll(/\bzone\s+"([^"]+)"[^{;]*\{/g)].map(match => {
    const [head, name = ''] = match
    const body = blockAt(text, match.index + head.length)
    const type = /\btype\s+"?([\w-]+)/.exec(body)?.[1] ?? 'none'
    const file = /\bfile\s+"([^"]+)"/.exec(body)?.[1]
    if (!['primary', 'master'].includes(type)) return { name, leftOut: `it is of type ${type}` }
    if (file === undefined) return { name, leftOut: 'it has no file' }
    const path = file.startsWith('/') ? file : `${directory}/${file}`
    return { name, file: () => readText(path) }
  })
  if (zones.length === 0)
    throw new ClientError(`${mainFiles.join(', ')} of ${directory} name no zones`)
  return zones
}

/** What is between a brace and the one that closes it. */
function blockAt(text: string, from: number): string {
  let depth = 1
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1
    if (text[at] === '}') depth -= 1
    if (depth === 0) return text.slice(from, at)
  }
  return text.slice(from)
}

async function powerDnsZones(url: string, apiKey: string): Promise<readonly Source[]> {
  const get = async (path: string) => {
    const response = await fetch(url + path, { headers: { 'x-api-key': apiKey } }).catch(cause => {
      throw new ClientError(`${url} does not answer`, undefined, { cause })
    })
    if (!response.ok) throw new ClientError(`${url} answers ${response.status} to ${path}`)
    return response.text()
  }
  const base = '/api/v1/servers/localhost/zones'
  const zones = JSON.parse(await get(base)) as readonly {
    readonly id: string
    readonly name: string
    readonly kind: string
  }[]
  return zones.map(({ id, name, kind }) =>
    /^(?:slave|secondary|consumer)$/i.test(kind)
      ? { name, leftOut: `it is of kind ${kind}` }
      : { name, file: () => get(`${base}/${encodeURIComponent(id)}/export`) },
  )
}

/** Those of the project that has logged in. */
async function designateZones(from: Session): Promise<readonly Source[]> {
  const zones = await from.list('/v2/zones', 'zones')
  return zones.map(({ id, name, type }) =>
    type === 'PRIMARY'
      ? { name: String(name), file: () => exportZone(from, String(id)) }
      : { name: String(name), leftOut: `it is of type ${type}` },
  )
}
