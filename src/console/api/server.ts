import type { Static } from 'typebox'
import type { checkAnswer } from '../../api/admin/answers.ts'
import type { serviceStatusAnswer, tsigKeyUsesAnswer } from '../../api/dns/answers.ts'
import { call, send } from './client.ts'
import { list, listPart, type Page } from './lists.ts'
import { reach } from './reach.ts'
import type { Zone } from './zones.ts'

/** A row that administrators manage: a pool, a DNSSEC policy, a blacklist, a TLD, a TSIG key. */
export type AdminRow = { readonly id: string } & Readonly<Record<string, unknown>>

/** The names of such rows in paths and responses. */
export type AdminRows = 'pools' | 'dnssec_policies' | 'blacklists' | 'tlds' | 'tsigkeys'

export function listRows(rows: AdminRows, marker?: string): Promise<Page<AdminRow>> {
  return listPart(rows, { path: `/v2/${rows}`, query: { limit: 200, marker } })
}

/** Keys, each with the name of its pool or zone as `resource_name`, unless that is gone.
 *  @param poolNames by their ids */
export async function listTsigKeys(
  poolNames: Readonly<Record<string, string>>,
  marker?: string,
): Promise<Page<AdminRow>> {
  const page = await listRows('tsigkeys', marker)
  const named = page.items.map(async row => {
    const id = String(row.resource_id)
    return { ...row, resource_name: poolNames[id] ?? (await zoneName(id)) }
  })
  return { ...page, items: await Promise.all(named) }
}

/** The name of a zone of any project. */
async function zoneName(id: string): Promise<string | undefined> {
  const headers = { 'x-auth-all-projects': 'true' }
  const zone = await call<Zone>({ path: `/v2/zones/${id}`, headers }).catch(() => undefined)
  return zone?.name
}

/** Creates a row, or changes the one with an id. */
export async function saveRow(rows: AdminRows, id: string | undefined, body: object) {
  if (id === undefined) await send({ method: 'POST', path: `/v2/${rows}`, body })
  else await send({ method: 'PATCH', path: `/v2/${rows}/${id}`, body })
}

export async function deleteRow(rows: AdminRows, id: string): Promise<void> {
  await send({ method: 'DELETE', path: `/v2/${rows}/${id}` })
}

/** The pools and zones that name a TSIG key, the first of them. */
export function readKeyUses(id: string): Promise<Static<typeof tsigKeyUsesAnswer>> {
  return call({ path: `/v2/tsigkeys/${id}/uses` })
}

/** Whether the server serves its stored data, and accepts changes. */
export type Readiness = {
  readonly status: 'ready' | 'not ready'
  readonly reasons?: readonly string[]
  readonly read_only: boolean
  readonly read_only_reason?: string
}

/** A server that is not ready responds with 503 and the same body. */
export async function readReadiness(): Promise<Readiness> {
  const response = await reach('/readyz')
  return response.json()
}

export type ServiceStatus = Static<typeof serviceStatusAnswer>

export const listServices = () =>
  list<ServiceStatus>('service_statuses', { path: '/v2/service_statuses' })

/** The address at which the page can reach the DNS of this server; undefined where the server does not give it. */
export async function dnsEndpoint(): Promise<{ host: string; port: string } | undefined> {
  const services = await listServices()
  const listen = services.find(({ service_name: name }) => name === 'dns')?.stats.listen
  const [, address, port] = /^\[?(.+?)\]?:(\d+)$/.exec(String([listen].flat()[0])) ?? []
  if (address === undefined || port === undefined) return undefined
  const isAny = address === '0.0.0.0' || address === '::'
  return { host: isAny ? location.hostname : address, port }
}

/** The result of a check of the whole store. */
export type CheckReport = Static<typeof checkAnswer>

export function checkStore(): Promise<CheckReport> {
  return call({ method: 'POST', path: '/admin/check' })
}

/** All stored data, as a tar archive. */
export async function readBackup(): Promise<Blob> {
  const headers = { accept: 'application/x-tar' }
  return (await send({ path: '/admin/backup', headers })).blob()
}
