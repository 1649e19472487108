import type { ResponderSettings } from '../../src/nameserver/responder.ts'
import type { ResponderHost } from '../../src/nameserver/responder-host.ts'

// The server that tests query, and the client that they are: the same for the responder and for its reference.

/** 192.0.2.99 */
export const client = Uint8Array.of(192, 0, 2, 99)
export const unixSeconds = 1_800_000_000

export const serverSettings = {
  facts: { identity: Buffer.from('ns1.example'), version: Buffer.from('Zonewright') },
  cookieSecrets: [Buffer.alloc(16, 'first'), Buffer.alloc(16, 'second')],
  keepaliveTenths: 100,
} as const satisfies ResponderSettings

/** What surrounds it. */
export function serverHost(): ResponderHost {
  return {
    onNotified: () => true,
    readClient: (_, into) => {
      into.set(client)
      return client.length
    },
    nowSeconds: () => 1,
    unixSeconds: () => unixSeconds,
  }
}
