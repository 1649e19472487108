import type { Test } from 'tap'
import { types } from '../../src/dns/codes.ts'
import { formatRdata } from '../../src/dns/rdata/index.ts'
import type { Appliance } from '../helpers/appliance.ts'
import { queryUdp } from '../helpers/query.ts'

// A zone of whose names certificates are asked for: the wildcard below its apex, and `www`.

export const zone = { name: 'shop.example.', email: 'ops@example.com' }
export const provedDomains = ['*.shop.example', 'www.shop.example']
/** Where the values of the challenges go. */
export const provedNames = ['_acme-challenge.shop.example.', '_acme-challenge.www.shop.example.']

export async function servedTexts(server: Appliance, name: string): Promise<string[]> {
  const { answers } = await queryUdp(server.endpoint(), { name, type: types.TXT })
  return answers.map(({ type, rdata }) => formatRdata(type, rdata))
}

export async function nothingIsLeft(t: Test, server: Appliance): Promise<void> {
  for (const name of provedNames) t.same(await servedTexts(server, name), [], name)
  const left = await server.json<object>('GET', '/v2/recordsets?type=TXT')
  t.match(left, { recordsets: [], metadata: { total_count: 0 } })
}
