import type { ApiClient } from './api-client.ts'

/** A rule of the hashmap in words: of a service, or of a field with a value, or from a level on. */
export type RuleWords = {
  readonly service: string
  readonly field?: string
  readonly value?: string
  readonly level?: string
  readonly group?: string
  readonly tenant?: string
  readonly type?: 'flat' | 'rate'
  readonly cost: string
  readonly start?: string
  readonly end?: string
}

const base = '/rating/v1/rating/module_config/hashmap'

/** Configures a hashmap as its clients do, and enables it. */
export async function setUpHashmap(admin: ApiClient, rules: readonly RuleWords[]): Promise<void> {
  const ids = new Map<string, string>()
  const idOf = async (path: string, body: Readonly<Record<string, string>>, idName: string) => {
    const key = JSON.stringify([path, body])
    const known = ids.get(key)
    if (known !== undefined) return known
    const id: string = (await make(admin, path, body))[idName]
    ids.set(key, id)
    return id
  }
  for (const { service, field, value, level, group, tenant, ...rest } of rules) {
    const serviceId = await idOf('services', { name: service }, 'service_id')
    const parent =
      field === undefined
        ? { service_id: serviceId }
        : { field_id: await idOf('fields', { service_id: serviceId, name: field }, 'field_id') }
    await make(admin, level === undefined ? 'mappings' : 'thresholds', {
      ...parent,
      ...(group !== undefined && { group_id: await idOf('groups', { name: group }, 'group_id') }),
      ...(value !== undefined && { value }),
      ...(level !== undefined && { level }),
      ...(tenant !== undefined && { tenant_id: tenant }),
      ...rest,
    })
  }
  const { status, text } = await admin.put('/rating/v2/rating/modules/hashmap', { enabled: true })
  if (status !== 204) throw new Error(text)
}

async function make(admin: ApiClient, path: string, body: object) {
  const { status, body: made, text } = await admin.post(`${base}/${path}`, body)
  if (status !== 201) throw new Error(`${path} ${JSON.stringify(body)}: ${text}`)
  return made
}
