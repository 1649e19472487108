import { randomBytes } from 'node:crypto'
import type { Appliance } from '../helpers/appliance.ts'

/** A TSIG key that signs updates of a zone. */
export type UpdateKey = {
  /** Absolute. */
  readonly name: string
  readonly algorithm: 'hmac-sha256'
  /** In base64. */
  readonly secret: string
}

/** Creates a key for a zone, and rules for what it may change there, in the form of `/v2`. */
export async function grantUpdates(
  server: Appliance,
  zoneName: string,
  rulesFor: (key: string) => readonly object[],
): Promise<UpdateKey> {
  const key = {
    name: 'updater.',
    algorithm: 'hmac-sha256',
    secret: randomBytes(32).toString('base64'),
  } as const
  const { zones } = await server.json<{ zones: readonly { id: string }[] }>(
    'GET',
    `/v2/zones?name=${zoneName}`,
  )
  await server.json('POST', '/v2/tsigkeys', { ...key, scope: 'ZONE', resource_id: zones[0]?.id })
  const policy = `/v2/zones/${zones[0]?.id}/update_policy`
  await server.json('PUT', policy, { rules: rulesFor(key.name) })
  return key
}

/** Lets a client of certificate authorities answer challenges in a zone, and change nothing else. */
export function grantChallenges(server: Appliance, zoneName: string): Promise<UpdateKey> {
  return grantUpdates(server, zoneName, key =>
    ['_acme-challenge', '_acme-challenge.www'].map(name => ({
      key,
      match: 'name',
      name,
      types: ['TXT'],
    })),
  )
}
