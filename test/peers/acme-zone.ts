import { readFileSync } from 'node:fs'
import type { Test } from 'tap'
import { types } from '../../src/dns/codes.ts'
import { formatRdata } from '../../src/dns/rdata/index.ts'
import type { Appliance } from '../helpers/appliance.ts'
import { chainOf, type Pebble } from '../helpers/pebble.ts'
import { queryUdp } from '../helpers/query.ts'

// A zone for whose names certificates are requested: the wildcard below its apex, and `www`.

export const zone = { name: 'shop.example.', email: 'ops@example.com' }
export const provedDomains = ['*.shop.example', 'www.shop.example']
/** Where the values of the challenges go. */
const provedNames = ['_acme-challenge.shop.example.', '_acme-challenge.www.shop.example.']

/** Whether a file holds a certificate for the names, and what vouches for it up to the authority's root. */
export async function isCertified(t: Test, file: string, authority: Pebble): Promise<void> {
  const chain = [...chainOf(readFileSync(file, 'utf8')), await authority.root()]
  const [certificate] = chain
  const names = certificate?.subjectAltName?.split(', ').sort()
  t.same(names, provedDomains.map(domain => `DNS:${domain}`).sort())
  for (const [i, issuer] of chain.slice(1).entries())
    t.ok(chain[i]?.verify(issuer.publicKey), `${i + 1} vouches for ${i}`)
}

export async function nothingIsLeft(t: Test, server: Appliance): Promise<void> {
  for (const name of provedNames) {
    const { answers } = await queryUdp(server.endpoint(), { name, type: types.TXT })
    t.same(
      answers.map(({ type, rdata }) => formatRdata(type, rdata)),
      [],
      name,
    )
  }
  const left = await server.json<object>('GET', '/v2/recordsets?type=TXT')
  t.match(left, { recordsets: [], metadata: { total_count: 0 } })
}
