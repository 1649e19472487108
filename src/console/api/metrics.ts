import { send } from './client.ts'
import { parseMetrics, type Sample } from './samples.ts'

/** What the server measures; only administrators may ask. */
export async function readMetrics(signal: AbortSignal): Promise<readonly Sample[]> {
  const response = await send({ path: '/metrics', signal })
  return parseMetrics(await response.text())
}
