import { isAbsolute, join } from 'node:path'
import { splitLongTexts } from '../model/record-values.ts'
import { ClientError } from './client-error.ts'
import type { Context } from './context.ts'
import { readNamedConf, type Statement, wordsBehind } from './named-conf.ts'
import type { JsonObject, Session } from './session.ts'
import { exportZone } from './zone-files.ts'

// Finds the zones of other servers.

/** A zone of another server: how to get its file, or why it is left out. */
export type ForeignZone =
  | {
      readonly name: string
      readonly file: () => Promise<string>
      /** What signs it there, if anything does. Its file need not have the signatures. */
      readonly signedBy?: string | undefined
    }
  | { readonly name: string; readonly leftOut: string }

/** Zones that every BIND name server has built in. */
const ownNames = new Set(['localhost', '127.in-addr.arpa', '0.in-addr.arpa', '255.in-addr.arpa'])

/** The zones named in the `named.conf` of a directory and the files it includes; only primaries have their own file. The
 *  directory may be a copy, with or without its subdirectories: files of the configuration are looked for in it first, and
 *  a zone file that is not in its place is looked for in it.
 *  @throws ClientError */
export async function bindZones(
  directory: string,
  { readText, filesLike }: Pick<Context, 'readText' | 'filesLike'>,
): Promise<readonly ForeignZone[]> {
  const firstOf = async (...paths: readonly string[]): Promise<string | undefined> => {
    for (const path of paths) {
      const text = await readText(path).catch(() => undefined)
      if (text !== undefined) return text
    }
    return undefined
  }
  // As much of the path as the directory has: files in its subdirectories may have the same name.
  const inDirectory = (path: string) => {
    const parts = path.split('/').filter(part => part !== '')
    return parts.map((_, index) => join(directory, ...parts.slice(index)))
  }
  const at = (path: string, base: string) => (isAbsolute(path) ? path : join(base, path))
  const placesOf = (path: string) => [...inDirectory(path), at(path, directory)]
  const statements = await readNamedConf(join(directory, 'named.conf'), {
    readText: path => firstOf(...placesOf(path)),
    filesLike: path =>
      placesOf(path)
        .map(filesLike)
        .find(found => found.length > 0) ?? [],
  })
  const options = statements.find(({ words }) => words[0] === 'options')?.body ?? []
  const [base = directory] = wordsBehind('directory', options)
  const known = new Map<string, string>()
  const zones = statementsOfZones(statements).map(({ zone, view }): ForeignZone => {
    const [, name = ''] = zone.words
    const problem = bindProblem(name, zone) ?? known.get(name)
    if (problem !== undefined) return { name, leftOut: problem }
    const [, viewName] = view?.words ?? []
    if (view !== undefined)
      known.set(name, `it is in the view ${viewName} too, and views are not known`)
    const [path = ''] = wordsBehind('file', zone.body)
    return {
      name,
      file: () => bindFile(path, path => firstOf(at(path, base), ...inDirectory(path))),
      signedBy: bindSigning([zone.body, view?.body ?? [], options]),
    }
  })
  if (zones.length > 0) return zones
  throw new ClientError(`the named.conf of ${directory} names no zones`)
}

function statementsOfZones(statements: readonly Statement[], view?: Statement) {
  const found: { readonly zone: Statement; readonly view: Statement | undefined }[] = []
  for (const statement of statements) {
    const [keyword] = statement.words
    if (keyword === 'zone') found.push({ zone: statement, view })
    if (keyword === 'view') found.push(...statementsOfZones(statement.body, statement))
  }
  return found
}

function bindProblem(name: string, { body }: Statement): string | undefined {
  if (ownNames.has(name.toLowerCase())) return 'each name server of BIND has it'
  const [type = 'none'] = wordsBehind('type', body)
  if (type !== 'primary' && type !== 'master') return `it is of type ${type}`
  const [file] = wordsBehind('file', body)
  if (file === undefined) return 'it has no file'
  const [format = 'text'] = wordsBehind('masterfile-format', body)
  return format === 'text' ? undefined : `its file is ${format}: named-compilezone makes it text`
}

/** The settings that make BIND sign a zone, and the values that do not. */
const bindSettings = [
  ['dnssec-policy', 'none'],
  ['auto-dnssec', 'off'],
  ['inline-signing', 'no'],
] as const

/** What makes BIND sign a zone. A setting of the zone overrides that of its view, and that one the options. */
function bindSigning(levels: readonly (readonly Statement[])[]): string | undefined {
  for (const [keyword, off] of bindSettings) {
    const [value = off] = levels.map(body => wordsBehind(keyword, body)[0]).filter(Boolean)
    if (value !== off) return `BIND (${keyword} ${value})`
  }
  return undefined
}

/** @throws ClientError the file cannot be read, or is older than what BIND serves */
async function bindFile(
  path: string,
  find: (path: string) => Promise<string | undefined>,
): Promise<string> {
  const text = await find(path)
  if (text === undefined) throw new ClientError(`${path} cannot be read`)
  if ((await find(`${path}.jnl`)) === undefined) return text
  throw new ClientError(`there are changes beside the file, in ${path}.jnl: rndc sync -clean first`)
}

/** The zones that the HTTP API of PowerDNS lists.
 *  @throws ClientError */
export async function powerDnsZones(url: string, apiKey: string): Promise<readonly ForeignZone[]> {
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
    readonly dnssec: boolean
  }[]
  return zones.map(({ id, name, kind, dnssec }) =>
    /^(?:slave|secondary|consumer)$/i.test(kind)
      ? { name, leftOut: `it is of kind ${kind}` }
      : {
          name,
          file: async () => withShortStrings(await get(`${base}/${encodeURIComponent(id)}/export`)),
          signedBy: dnssec ? 'PowerDNS' : undefined,
        },
  )
}

/** A zone file of PowerDNS, which has a record in each line, with long texts split: PowerDNS writes them as they were given, and
 *  splits them only when it answers. Strings of other types, such as URI, are of any length. */
function withShortStrings(file: string): string {
  const texts = /^(\S+\s+\d+\s+IN\s+(TXT|SPF)\s+)(.+)$/gm
  return file.replace(
    texts,
    (_, head: string, type: string, value: string) => `${head}${splitLongTexts(type, [value])}`,
  )
}

/** The zones of the project that has logged in at a Designate.
 *  @throws ClientError */
export async function designateZones(from: Session): Promise<readonly ForeignZone[]> {
  const zones: readonly JsonObject[] = await from.list('/v2/zones', 'zones')
  return zones.map(({ id, name, type }) =>
    type === 'PRIMARY'
      ? { name: String(name), file: () => exportZone(from, String(id)) }
      : { name: String(name), leftOut: `it is of type ${type}` },
  )
}
