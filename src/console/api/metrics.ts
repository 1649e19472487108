import { send } from './client.ts'
import { parseMetrics, type Sample } from './samples.ts'

/** The metrics of the server; only administrators may read them. */
export async function readMetrics(signal: AbortSignal): Promise<readonly Sample[]> {
  const response = await send({ path: '/metrics', signal })
  return parseMetrics(await response.text())
}
