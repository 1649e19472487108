import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Endpoint } from './appliance.ts'
import { until } from './until.ts'

const run = promisify(execFile)

/** All records of a zone, as dig prints them, sorted and in lower case; the SOA once. */
export async function digZone(
  { host, port }: Endpoint,
  apex: string,
  words: readonly string[] = [],
): Promise<string> {
  const at = [`@${host}`, '-p', `${port}`, ...words]
  const { stdout } = await run('dig', [...at, '+noall', '+answer', '+onesoa', apex, 'AXFR'])
  const lines = stdout.toLowerCase().split('\n')
  return lines
    .map(line => line.split(/\s+/).join(' '))
    .filter(line => /^[^;].* in /.test(line))
    .toSorted()
    .join('\n')
}

/** As `digZone`, retried until the server sends the zone: while it sends to others it may refuse. */
export function digSentZone(
  endpoint: Endpoint,
  apex: string,
  words: readonly string[] = [],
): Promise<string> {
  return until(
    () => digZone(endpoint, apex, words),
    found => found.includes(' in soa '),
  )
}
