import { NODATA, NOTFOUND, promises, type RecordWithTtl } from 'node:dns'
import { ttlOf } from '../../dns/message.ts'

const timeoutMs = 2_000
const tries = 2

/** Queries resolvers for the addresses of names, following CNAMEs, with the shortest TTL of the answer.
 *  @param servers addresses, with a port unless it is 53: `192.0.2.53`, `[2001:db8::53]:5353` */
export function aliasResolver(servers: readonly string[]) {
  const resolver = new promises.Resolver({ timeout: timeoutMs, tries })
  resolver.setServers(servers)
  const ask = { A: 'resolve4', AAAA: 'resolve6' } as const
  return async (name: string, type: 'A' | 'AAAA') => {
    try {
      const host = name.replace(/\.$/, '')
      return shown(await resolver[ask[type]](host, { ttl: true }))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // A name without addresses of one family may have addresses of the other.
      if (code === NODATA) return { addresses: [], ttlSeconds: 0 }
      if (code === NOTFOUND) throw new Error(`${name} does not exist`)
      throw new Error(`the resolvers do not know ${name}: ${code}`)
    }
  }
}

function shown(records: readonly RecordWithTtl[]) {
  return {
    addresses: records.map(({ address }) => address),
    ttlSeconds: Math.min(...records.map(({ ttl }) => ttlOf(ttl))),
  }
}
