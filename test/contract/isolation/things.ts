import type { ApiClient } from '../../helpers/api-client.ts'

/** What one project, the owner, has, and who has a part in it. */
export type Things = {
  /** Ids and the like by the names of the path parameters that take them. */
  readonly ids: Readonly<Record<string, string>>
  readonly ownerToken: string
  readonly zoneName: string
  /** The key of an offer of a zone that is for a friend alone. */
  readonly transferKey: string
  /** Texts that nobody else may be told: ids, names, values. */
  readonly secrets: readonly string[]
}

const secret = 'known-to-the-owner-alone'
const recordValue = '192.0.2.77'
const privateKey = Buffer.alloc(32, 77).toString('base64')
export const ownerEmail = `${secret}@example.com`

type Made = Readonly<Record<string, string>>

/** Makes one of each thing.
 *  @throws Error something was refused */
export async function makeThings(parts: {
  readonly admin: ApiClient
  readonly owner: ApiClient
  readonly ownerToken: string
  readonly account: { readonly projectId: string; readonly userId: string; readonly roleId: string }
}): Promise<Things> {
  const { admin, owner, account, ownerToken } = parts
  const friend = await makerFor(admin)('/identity/v3/projects', { project: { name: 'friend' } })
  const zones = await makeZones(owner, friend.id ?? '')
  const dns = await makeForDns(admin, account.projectId)
  const identity = await makeForIdentity(admin, owner, account.userId)
  const rating = await makeForRating(admin, owner, account.projectId)
  const ids = {
    ...zones.ids,
    ...dns,
    ...identity,
    ...rating,
    project_id: account.projectId,
    tenant_id: account.projectId,
    scope_id: account.projectId,
    user_id: account.userId,
    role_id: account.roleId,
  }
  const { role_id: _, policy_id: __, ...owned } = ids
  const secrets = [...Object.values(owned), zones.name, zones.key, secret, recordValue, privateKey]
  return {
    ids,
    ownerToken,
    zoneName: zones.name,
    transferKey: zones.key,
    secrets: [...secrets, 'name-of-the-owner', 'user-of-the-owner'],
  }
}

async function makeZones(owner: ApiClient, friendId: string) {
  const name = 'owned.example.'
  const make = makerFor(owner)
  const description = secret
  const zone = await make('/v2/zones', { name, email: ownerEmail, description })
  const path = `/v2/zones/${zone.id}`
  const values = { name: `www.${name}`, type: 'A', records: [recordValue], description }
  const recordset = await make(`${path}/recordsets`, values)
  const private_key = `Algorithm: 15\nPrivateKey: ${privateKey}\n`
  const key = await make(`${path}/dnssec/keys`, { private_key })
  const share = await make(`${path}/shares`, { target_project_id: friendId })
  const offer = { target_project_id: friendId, description }
  const request = await make(`${path}/tasks/transfer_requests`, offer)
  const zoneExport = await make(`${path}/tasks/export`)
  const text = `$ORIGIN imported.example.\n@ SOA ns. ${secret}.example.com. 1 2 3 4 5\nwww A ${recordValue}\n`
  const zoneImport = await make('/v2/zones/tasks/imports', { zonefile: text })
  // Of events that do not happen here, so nothing is sent.
  const webhook = await make('/v2/webhooks', {
    ...{ url: 'https://hooks.example.com/', description, event_types: ['rating.budget.threshold'] },
  })
  const other = await make('/v2/zones', { name: 'accepted.example.', email: ownerEmail })
  const own = await make(`/v2/zones/${other.id}/tasks/transfer_requests`)
  const accept = await make('/v2/zones/tasks/transfer_accepts', {
    key: own.key,
    zone_transfer_request_id: own.id,
  })
  const gone = await make('/v2/zones', { name: 'gone.example.', email: ownerEmail, description })
  await owner.delete(`/v2/zones/${gone.id}`)
  const listed = await owner.get(`/v1/domains/${zone.id}/records`)
  const record = listed.body.records.find(({ data }: { data: string }) => data === recordValue)
  return {
    name,
    key: request.key ?? '',
    ids: {
      zone_id: zone.id ?? '',
      domain_id: zone.id ?? '',
      recordset_id: recordset.id ?? '',
      key_id: key.id ?? '',
      record_id: record.id,
      share_id: share.id ?? '',
      transfer_request_id: request.id ?? '',
      transfer_accept_id: accept.id ?? '',
      export_id: zoneExport.id ?? '',
      import_id: zoneImport.id ?? '',
      webhook_id: webhook.id ?? '',
      deleted_zone_id: gone.id ?? '',
    },
  }
}

/** What administrators keep. */
async function makeForDns(admin: ApiClient, projectId: string) {
  const make = makerFor(admin)
  const address = { region: 'North', address: recordValue, project_id: projectId }
  const floatingIp = await make('/v2/reverse/floatingips', address)
  const blacklist = await make('/v2/blacklists', { pattern: `^${secret}` })
  const policy = await make('/v2/dnssec_policies', { name: 'split', keys: 'KSK+ZSK' })
  const tld = await make('/v2/tlds', { name: 'example' })
  const nsRecords = [{ hostname: 'ns.example.net.', priority: 1 }]
  const pool = await make('/v2/pools', { name: 'second', ns_records: nsRecords })
  const key = { name: 'tsig', algorithm: 'hmac-sha256', secret: 'c2VjcmV0', scope: 'POOL' }
  const tsigKey = await make('/v2/tsigkeys', { ...key, resource_id: pool.id })
  const rule = await make('/v2/query_log_rules', { seconds: 86_400, description: secret })
  const statuses = await admin.get('/v2/service_statuses')
  const server = await make('/v1/servers', { name: 'ns2.example.net.' })
  const { scope: _, ...olderKey } = { ...key, name: 'older' }
  const defaultPoolKey = await make('/v1/tsigkeys', olderKey)
  return {
    floatingip_key: floatingIp.id ?? '',
    blacklist_id: blacklist.id ?? '',
    policy_id: policy.id ?? '',
    tld_id: tld.id ?? '',
    rule_id: rule.id ?? '',
    pool_id: pool.id ?? '',
    tsigkey_id: tsigKey.id ?? '',
    default_pool_tsigkey_id: defaultPoolKey.id ?? '',
    service_status_id: statuses.body.service_statuses[0].id,
    server_id: server.id ?? '',
  }
}

async function makeForIdentity(admin: ApiClient, owner: ApiClient, userId: string) {
  const domain = await makerFor(admin)('/identity/v3/domains', { domain: { name: secret } })
  const path = `/identity/v3/users/${userId}/application_credentials`
  const credential = await makerFor(owner)(path, { application_credential: { name: secret } })
  return {
    identity_domain_id: domain.id ?? '',
    application_credential_id: credential.id ?? '',
  }
}

const moduleConfig = '/rating/v1/rating/module_config'

async function makeForRating(admin: ApiClient, owner: ApiClient, projectId: string) {
  const make = makerFor(admin)
  const hashmap = `${moduleConfig}/hashmap`
  const service = await make(`${hashmap}/services`, { name: 'dns.queries' })
  const field = await make(`${hashmap}/fields`, { service_id: service.service_id, name: 'zone' })
  const group = await make(`${hashmap}/groups`, { name: 'group' })
  const rule = {
    service_id: service.service_id,
    group_id: group.group_id,
    type: 'flat',
    cost: '0.25',
    tenant_id: projectId,
  }
  const mapping = await make(`${hashmap}/mappings`, rule)
  const threshold = await make(`${hashmap}/thresholds`, { ...rule, level: '10' })
  const script = await make(`${moduleConfig}/pyscripts/scripts`, { name: 'script', data: secret })
  const budget = await makerFor(owner)('/v2/budgets', { amount: '10.00' })
  await make('/rating/v1/collector/mappings', { service: 'dns.queries', collector: 'dns' })
  await make('/v2/dataframes', { dataframes: [usageOf(projectId)] })
  return {
    service_id: service.service_id ?? '',
    field_id: field.field_id ?? '',
    group_id: group.group_id ?? '',
    mapping_id: mapping.mapping_id ?? '',
    threshold_id: threshold.threshold_id ?? '',
    script_id: script.script_id ?? '',
    budget_id: budget.id ?? '',
  }
}

/** A frame of the owner's usage, or of whoever's. */
export function usageOf(projectId: string): object {
  const entry = {
    vol: { unit: 'query', qty: '777' },
    rating: { price: '7.77' },
    groupby: { project_id: projectId },
    metadata: { zone: secret },
  }
  const period = { begin: '20261121T000000Z', end: '20261121T010000Z' }
  return { period, usage: { 'dns.queries': [entry] } }
}

function makerFor(client: ApiClient) {
  return async (path: string, body?: object): Promise<Made> => {
    const answer = await client.post(path, body)
    if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`)
    // The identity service wraps what it shows.
    const { body: made = {} } = answer
    return path.startsWith('/identity') ? (Object.values(made)[0] as Made) : made
  }
}
