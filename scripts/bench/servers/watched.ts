import { HttpClient } from '../load/http-client.ts'
import { apiUrl, stallsOf, watchedRecipe } from './appliance.ts'
import { ours } from './contenders.ts'
import { apiToken, RunningServer } from './running.ts'

/** Starts Zonewright with somebody who looks for stalls, from now on, and a client that may have as much as it likes.
 *  Whoever starts it stops the server. */
export async function startWatched(
  core: number,
): Promise<{ readonly server: RunningServer; readonly http: HttpClient }> {
  const server = await RunningServer.start({ name: ours, core, recipe: watchedRecipe })
  try {
    const http = new HttpClient(await apiUrl(server), { 'x-auth-token': apiToken })
    await liftQuotas(http)
    await stallsOf(server)
    return { server, http }
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** Lets the administrator's project have as much as it likes. */
async function liftQuotas(http: HttpClient): Promise<void> {
  const found = await http.call('GET', '/identity/v3/projects?name=admin')
  const { projects } = JSON.parse(found) as { projects: readonly { id: string }[] }
  for (const { id } of projects)
    await http.call('PATCH', `/v2/quotas/${id}`, {
      zones: -1,
      zone_recordsets: -1,
      zone_records: -1,
      recordset_records: -1,
      api_export_size: -1,
    })
}
