import { join } from 'node:path'
import { host, type Place, type Recipe, type RunningServer } from './running.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const token = 'the-token-of-the-benchmark'

/** Zonewright as `npm start` runs it, with one answering thread. */
export function applianceRecipe({ folder, port }: Place): Recipe {
  return {
    command: [process.execPath, join(root, 'src', 'main.ts')],
    environment: {
      ZONEWRIGHT_DATA_DIR: join(folder, 'data'),
      ZONEWRIGHT_API_LISTEN: `${host}:0`,
      ZONEWRIGHT_DNS_LISTEN: `${host}:${port}`,
      ZONEWRIGHT_DNS_WORKERS: '1',
      ZONEWRIGHT_ADMIN_TOKEN: token,
    },
  }
}

/** Has it fetch the zone from another server, as a secondary does. */
export async function fetchZone(
  appliance: RunningServer,
  { name, primary }: { readonly name: string; readonly primary: RunningServer },
): Promise<void> {
  const body = { name, type: 'SECONDARY', masters: [`${host}:${primary.port}`] }
  const response = await fetch(`${await apiUrl(appliance)}/v2/zones`, {
    method: 'POST',
    headers: { 'x-auth-token': token, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`the zone was refused: ${await response.text()}`)
}

async function apiUrl(appliance: RunningServer): Promise<string> {
  let url: string | undefined
  await appliance.untilReady(async () => {
    url = /"api":"([^"]+)"/.exec(appliance.output)?.[1]
    return url !== undefined
  })
  return url ?? ''
}
