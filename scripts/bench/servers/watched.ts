import { HttpClient } from '../load/http-client.ts'
import { apiOf, apiUrl, liftQuotas, stallsOf, watchedRecipe } from './appliance.ts'
import { ours } from './contenders.ts'
import { apiToken, RunningServer } from './running.ts'

/** Starts Zonewright with a watch for stalls, from now on, and a client without quotas. The caller stops the
 *  server. */
export async function startWatched(
  core: number,
  recipe = watchedRecipe,
): Promise<{ readonly server: RunningServer; readonly http: HttpClient }> {
  const server = await RunningServer.start({ name: ours, core, recipe })
  try {
    const http = new HttpClient(await apiUrl(server), { 'x-auth-token': apiToken })
    await liftQuotas(await apiOf(server))
    await stallsOf(server)
    return { server, http }
  } catch (error) {
    await server.stop()
    throw error
  }
}
