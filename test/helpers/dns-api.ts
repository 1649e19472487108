import type { Test } from 'tap'
import { dnsMounts } from '../../src/api/dns/mounts.ts'
import { startApi, type TestApi } from './api.ts'
import { openDns, type TestDns, type TestDnsOptions } from './dns.ts'

/** Serves zones and recordsets over HTTP: in the plain dialect under /v2, in Designate's under /dns/v2. */
export async function startDnsApi(
  t: Test,
  options: TestDnsOptions = {},
): Promise<{ dns: TestDns; api: TestApi }> {
  const dns = await openDns(options)
  const api = await startApi(t, {
    store: dns.store,
    clock: dns.clock,
    mounts: () => dnsMounts(dns),
  })
  return { dns, api }
}
