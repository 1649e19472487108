import type { Test } from 'tap'
import { dnsMounts } from '../../src/api/dns/mounts.ts'
import type { ExtensionName } from '../../src/api/dns-v1/extensions.ts'
import { dnsV1Mounts } from '../../src/api/dns-v1/mounts.ts'
import { startApi, type TestApi } from './api.ts'
import { openDns, type TestDns, type TestDnsOptions } from './dns.ts'

export type DnsV1ApiOptions = TestDnsOptions & {
  /** Extensions that are on; `quotas` when not given. */
  readonly extensions?: readonly ExtensionName[]
}

/** How something is deleted in the older group: the answer is an empty page. */
export const deletion = {
  method: 'DELETE',
  status: 200,
  headers: { 'content-type': /^text\/html/, 'content-length': '0' },
  answers: '',
} as const

/** Serves the older group over HTTP, with and without its prefix, beside v2 over the same services. */
export async function startDnsV1Api(
  t: Test,
  { extensions = ['quotas'], ...options }: DnsV1ApiOptions = {},
): Promise<{ dns: TestDns; api: TestApi }> {
  const dns = await openDns(options)
  const api = await startApi(t, {
    store: dns.store,
    clock: dns.clock,
    mounts: () => [...dnsMounts(dns), ...dnsV1Mounts(dns, { extensions })],
  })
  return { dns, api }
}
