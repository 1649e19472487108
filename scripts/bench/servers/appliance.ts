import { join } from 'node:path'
import { serverEnvironment, serverFlags } from '../../run/paths.mjs'
import { apiToken, host, type Place, type Recipe, type RunningServer } from './running.ts'

const root = join(import.meta.dirname, '..', '..', '..')

/** Zonewright as `npm start` runs it, with one answering thread. */
export function applianceRecipe({ folder, port, tls }: Place): Recipe {
  return {
    command: [process.execPath, ...serverFlags, join(root, 'src', 'main.ts')],
    environment: {
      ...serverEnvironment,
      // As `npm start` sets it, which runs the benchmarks too.
      ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
      ZONEWRIGHT_DATA_DIR: join(folder, 'data'),
      ZONEWRIGHT_API_LISTEN: `${host}:0`,
      ZONEWRIGHT_DNS_LISTEN: `${host}:${port}`,
      ZONEWRIGHT_DNS_WORKERS: '1',
      ZONEWRIGHT_ADMIN_TOKEN: apiToken,
      ...(tls && {
        ZONEWRIGHT_DNS_TLS_LISTEN: `${host}:${tls.port}`,
        ZONEWRIGHT_DNS_TLS_CERT: tls.certificateFile,
        ZONEWRIGHT_DNS_TLS_KEY: tls.keyFile,
      }),
    },
  }
}

/** As `applianceRecipe`, with a watch that measures how long its event loop is blocked (`stallsOf`). */
export function watchedRecipe(place: Place): Recipe {
  return withImport(applianceRecipe(place), 'stall-watch.ts')
}

/** As `watchedRecipe`, with a clock that can be put ahead (`clock-ahead.ts`). */
export function clockedRecipe(place: Place): Recipe {
  return withImport(watchedRecipe(place), 'clock-ahead.ts')
}

function withImport(recipe: Recipe, file: string): Recipe {
  const [node = '', ...rest] = recipe.command
  return { ...recipe, command: [node, '--import', join(import.meta.dirname, file), ...rest] }
}

/** How long the event loop of a server was blocked since the last call, in milliseconds of computing. */
export type Stalls = {
  readonly stallMs: number
  /** The garbage collection's share of the longest stall. */
  readonly collectionMs: number
  readonly stallsOver20Ms: number
  /** The longest delay of the event loop by the clock, whoever had the core meanwhile. */
  readonly delayMs: number
}

/** As the columns `stallHeadings`. */
export function stallCells({ stallMs, collectionMs, stallsOver20Ms, delayMs }: Stalls): string[] {
  return [
    `${stallMs.toFixed(1)} ms`,
    `${collectionMs.toFixed(1)} ms`,
    `${stallsOver20Ms}`,
    `${delayMs.toFixed(1)} ms`,
  ]
}

export const stallHeadings = ['longest stall', 'of it garbage', 'over 20 ms', 'by the clock']

/** Asks a server of `watchedRecipe`. */
export async function stallsOf(appliance: RunningServer): Promise<Stalls> {
  // Only the last of the output is kept, so lines cannot be counted; each differs by its times.
  const lastLine = () => appliance.output.match(/(?<=^stalls ).*$/gm)?.at(-1)
  const before = lastLine()
  appliance.signal('SIGUSR2')
  await appliance.untilReady(async () => ![before, undefined].includes(lastLine()))
  return JSON.parse(lastLine() ?? '')
}

/** A client that calls the API of a running server as its administrator. */
export type Api = {
  post(path: string, body: unknown): Promise<{ readonly id: string }>
  put(path: string, body: unknown): Promise<unknown>
  patch(path: string, body: unknown): Promise<unknown>
  get<T>(path: string): Promise<T>
}

/** Makes it fetch the zone from another server, as a secondary does. */
export async function fetchZone(
  appliance: RunningServer,
  { name, primary }: { readonly name: string; readonly primary: RunningServer },
): Promise<void> {
  const api = await apiOf(appliance)
  await liftQuotas(api)
  await api.post('/v2/zones', { name, type: 'SECONDARY', masters: [`${host}:${primary.port}`] })
}

/** Removes the quotas of the administrator's project. */
export async function liftQuotas(api: Api): Promise<void> {
  const { projects } = await api.get<{ projects: readonly { id: string }[] }>(
    '/identity/v3/projects?name=admin',
  )
  const unlimited = { zones: -1, zone_recordsets: -1, zone_records: -1 }
  for (const { id } of projects) {
    const quotas = { ...unlimited, recordset_records: -1, api_export_size: -1 }
    await api.patch(`/v2/quotas/${id}`, quotas)
  }
}

/** Resolves once the server serves. */
export async function apiOf(appliance: RunningServer): Promise<Api> {
  const url = await apiUrl(appliance)
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(url + path, {
      method,
      headers: { 'x-auth-token': apiToken, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path} was refused: ${await response.text()}`)
    return (await response.json()) as T
  }
  return {
    post: (path, body) => call('POST', path, body),
    put: (path, body) => call('PUT', path, body),
    patch: (path, body) => call('PATCH', path, body),
    get: path => call('GET', path),
  }
}

/** Where the API of a server is, once it serves. */
export async function apiUrl(appliance: RunningServer): Promise<string> {
  let url: string | undefined
  await appliance.untilReady(async () => {
    url = /"api":"([^"]+)"/.exec(appliance.output)?.[1]
    return url !== undefined
  })
  return url ?? ''
}
