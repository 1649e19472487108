import type { ErrorType } from '../../../src/errors.ts'
import type { Answer, ApiClient } from '../../helpers/api-client.ts'
import { passcodeAt, totpSecret } from '../../helpers/passcodes.ts'
import { until } from '../../helpers/until.ts'

/** Who provokes, and on what. */
export type Scene = {
  readonly anonymous: ApiClient
  readonly admin: ApiClient
  /** A member of the project `projectId`, which has room for a few zones. */
  readonly member: ApiClient
  readonly projectId: string
  /** Another project. */
  readonly friendId: string
  /** A member of another project. */
  readonly stranger: ApiClient
  /** Proves who it is and says no project. */
  readonly unscoped: ApiClient
  /** Makes a zone of its own for each provocation, as the member. */
  makeZone(body?: object): Promise<Made>
}

export type Made = { readonly id: string; readonly name: string; readonly path: string }

/** Makes a call, and whatever it needs before, that is refused with the type it stands under. */
type Provocation = (scene: Scene) => Promise<Answer>

/** Those that need a server in a state of its own are in the test. */
export type ProvokedElsewhere =
  | 'unknown'
  | 'read_only'
  | 'keystone_communication_failure'
  | 'no_valid_pool_found'
  | 'request_in_progress'

// In Designate's dialect, which tells every type with its own status.
const v2 = '/dns/v2'
const unknownId = '5b1c7f40-7d4e-4a53-9f0c-0a3c5b0f1d11'
const email = 'ops@example.com'
const nsRecords = [{ hostname: 'ns.example.net.', priority: 1 }]
const key = { algorithm: 'hmac-sha256', secret: 'c2VjcmV0', scope: 'POOL' }

/** Makes the same thing twice; the second is refused. */
const twice =
  (path: string, body: object): Provocation =>
  async ({ admin }) => {
    await admin.post(path, body)
    return admin.post(path, body)
  }

const missing =
  (path: string): Provocation =>
  ({ admin }) =>
    admin.get(`${path}/${unknownId}`)

const listing =
  (query: string): Provocation =>
  ({ member }) =>
    member.get(`${v2}/zones?${query}`)

/** About bodies, paths and queries. */
const general = {
  invalid_object: ({ member }) => member.post(`${v2}/zones`, { name: 7 }),
  bad_request: ({ member }) => member.get(`${v2}/zones?color=red`),
  empty_request_body: ({ member }) => member.post(`${v2}/zones`, ''),
  invalid_json: ({ member }) => member.post(`${v2}/zones`, '{'),
  invalid_uuid: ({ member }) => member.get(`${v2}/zones/x`),
  invalid_project: ({ admin }) => admin.patch(`${v2}/quotas/nobody`, { zones: 1 }),
  invalid_marker: listing('marker=x'),
  marker_not_found: listing(`marker=${unknownId}`),
  invalid_limit: listing('limit=-1'),
  invalid_sort_dir: listing('sort_dir=up'),
  invalid_sort_key: listing('sort_key=color'),
  not_found: ({ member }) => member.get(`${v2}/nothing`),
  method_not_allowed: ({ member }) => member.put(`${v2}/zones`),
  unsupported_accept: ({ member }) => member.with({ accept: 'text/html' }).get(`${v2}/zones`),
  unsupported_content_type: ({ member }) =>
    member.call('POST', `${v2}/zones`, { body: 'x', headers: { 'content-type': 'text/plain' } }),
  request_too_large: ({ member }) =>
    member.post(`${v2}/zones`, JSON.stringify({ name: 'x'.repeat(2 ** 20) })),
} satisfies Partial<Record<ErrorType, Provocation>>

/** About who asks. */
const access = {
  async second_factor_required({ admin, anonymous }) {
    const password = 'a-password-of-the-tests'
    const made = await admin.post('/identity/v3/users', { user: { name: 'careful', password } })
    const { id } = made.body.user
    const identity = { methods: ['password'], password: { user: { id, password } } }
    const logIn = () => anonymous.post('/identity/v3/auth/tokens', { auth: { identity } })
    const { headers, body } = await logIn()
    const passcode = passcodeAt(Date.parse(body.token.issued_at))
    const client = anonymous.with({ 'x-auth-token': headers.get('x-subject-token') ?? '' })
    const totp = { secret: totpSecret, passcode }
    await client.put(`/identity/v3/users/${id}/totp`, { totp })
    return logIn()
  },
  unauthorized: ({ anonymous }) => anonymous.get(`${v2}/zones`),
  missing_project_id: ({ unscoped }) => unscoped.get(`${v2}/zones`),
  forbidden: ({ member }) => member.get(`${v2}/pools`),
  async too_many_requests({ anonymous }) {
    const authorization = `Basic ${Buffer.from('nobody:wrong').toString('base64')}`
    for (;;) {
      const answer = await anonymous.with({ authorization }).get(`${v2}/zones`)
      if (answer.status !== 401) return answer
    }
  },
  conflict: ({ admin }) => admin.post('/identity/v3/projects', { project: { name: 'one' } }),
} satisfies Partial<Record<ErrorType, Provocation>>

const zones = {
  invalid_zone_name: ({ member }) => member.post(`${v2}/zones`, { name: 'example.', email }),
  async invalid_ttl({ member, makeZone }) {
    const { path } = await makeZone()
    return member.patch(path, { ttl: 1 })
  },
  zone_not_found: missing(`${v2}/zones`),
  async duplicate_zone({ member, makeZone }) {
    const { name } = await makeZone()
    return member.post(`${v2}/zones`, { name, email })
  },
  async illegal_child({ stranger, makeZone }) {
    const { name } = await makeZone()
    return stranger.post(`${v2}/zones`, { name: `child.${name}`, email })
  },
  async illegal_parent({ stranger, makeZone }) {
    const { name } = await makeZone({ prefix: 'child.' })
    return stranger.post(`${v2}/zones`, { name: name.slice('child.'.length), email })
  },
  async zone_has_sub_zone({ member, makeZone }) {
    const { name, path } = await makeZone()
    await member.post(`${v2}/zones`, { name: `child.${name}`, email })
    return member.delete(path)
  },
  async zone_is_shared({ member, friendId, makeZone }) {
    const { path } = await makeZone()
    await member.post(`${path}/shares`, { target_project_id: friendId })
    return member.delete(path)
  },
  async over_quota({ admin, member, projectId, makeZone }) {
    const { path, name } = await makeZone()
    await admin.patch(`${v2}/quotas/${projectId}`, { zone_recordsets: 2 })
    const body = { name: `www.${name}`, type: 'A', records: ['192.0.2.1'] }
    const answer = await member.post(`${path}/recordsets`, body)
    await admin.patch(`${v2}/quotas/${projectId}`, { zone_recordsets: -1 })
    return answer
  },
} satisfies Partial<Record<ErrorType, Provocation>>

const recordsets = {
  async invalid_recordset_location({ member, makeZone }) {
    const { path } = await makeZone()
    const body = { name: 'www.example.net.', type: 'A', records: ['192.0.2.1'] }
    return member.post(`${path}/recordsets`, body)
  },
  async recordset_not_found({ member, makeZone }) {
    const { path } = await makeZone()
    return member.get(`${path}/recordsets/${unknownId}`)
  },
  async precondition_failed({ member, makeZone }) {
    const { id } = await makeZone()
    const body = { delete: [{ name: 'www', type: 'A' }], expected: { serial: 1 } }
    return member.post(`/v2/zones/${id}/changes`, body)
  },
  async duplicate_recordset({ member, makeZone }) {
    const { path, name } = await makeZone()
    const body = { name: `www.${name}`, type: 'A', records: ['192.0.2.1'] }
    await member.post(`${path}/recordsets`, body)
    return member.post(`${path}/recordsets`, body)
  },
  async record_not_found({ member, makeZone }) {
    const { id } = await makeZone()
    return member.get(`/v1/domains/${id}/records/${unknownId}`)
  },
  async duplicate_record({ member, makeZone }) {
    const { id, name } = await makeZone()
    const body = { name: `www.${name}`, type: 'A', data: '192.0.2.1' }
    await member.post(`/v1/domains/${id}/records`, body)
    return member.post(`/v1/domains/${id}/records`, body)
  },
} satisfies Partial<Record<ErrorType, Provocation>>

/** About zones of several projects, and tasks. */
const sharing = {
  async shared_zone_not_found({ member, makeZone }) {
    const { path } = await makeZone()
    return member.get(`${path}/shares/${unknownId}`)
  },
  async duplicate_shared_zone({ member, friendId, makeZone }) {
    const { path } = await makeZone()
    const body = { target_project_id: friendId }
    await member.post(`${path}/shares`, body)
    return member.post(`${path}/shares`, body)
  },
  async shared_zone_has_recordsets({ admin, member, friendId, makeZone }) {
    const { path, name } = await makeZone()
    const { body: share } = await member.post(`${path}/shares`, { target_project_id: friendId })
    const friend = admin.with({ 'x-auth-sudo-project-id': friendId })
    const body = { name: `www.${name}`, type: 'A', records: ['192.0.2.1'] }
    await friend.post(`${path}/recordsets`, body)
    return member.delete(`${path}/shares/${share.id}`)
  },
  zone_transfer_request_not_found: missing(`${v2}/zones/tasks/transfer_requests`),
  zone_transfer_accept_not_found: missing(`${v2}/zones/tasks/transfer_accepts`),
  zone_export_not_found: missing(`${v2}/zones/tasks/exports`),
  zone_import_not_found: missing(`${v2}/zones/tasks/imports`),
  async duplicate_zone_transfer_request({ member, makeZone }) {
    const { path } = await makeZone()
    await member.post(`${path}/tasks/transfer_requests`)
    return member.post(`${path}/tasks/transfer_requests`)
  },
  async invalid_key({ member, makeZone }) {
    const { path } = await makeZone()
    const { body: offer } = await member.post(`${path}/tasks/transfer_requests`)
    const body = { key: 'WRONG', zone_transfer_request_id: offer.id }
    return member.post(`${v2}/zones/tasks/transfer_accepts`, body)
  },
  async invalid_zone_transfer_request({ member, makeZone }) {
    const { path } = await makeZone()
    const { body: offer } = await member.post(`${path}/tasks/transfer_requests`)
    const body = { key: offer.key, zone_transfer_request_id: offer.id }
    await member.post(`${v2}/zones/tasks/transfer_accepts`, body)
    return member.post(`${v2}/zones/tasks/transfer_accepts`, body)
  },
} satisfies Partial<Record<ErrorType, Provocation>>

/** About what administrators keep. */
const administration = {
  blacklist_not_found: missing(`${v2}/blacklists`),
  duplicate_blacklist: twice(`${v2}/blacklists`, { pattern: '^forbidden' }),
  tld_not_found: missing(`${v2}/tlds`),
  // The one of all the names here, or nothing could be created any more.
  async idempotency_key_reused({ admin }) {
    const keyed = admin.with({ 'idempotency-key': 'used' })
    await keyed.post(`${v2}/tlds`, { name: 'one' })
    return keyed.post(`${v2}/tlds`, { name: 'two' })
  },
  duplicate_tld: twice(`${v2}/tlds`, { name: 'example' }),
  dnssec_policy_not_found: missing('/v2/dnssec_policies'),
  duplicate_dnssec_policy: twice('/v2/dnssec_policies', { name: 'same' }),
  async dnssec_key_not_found({ member, makeZone }) {
    const { id } = await makeZone()
    const path = `/v2/zones/${id}/dnssec`
    await member.put(path, {})
    await until(
      async () => (await member.get(path)).body.status,
      status => status === 'SIGNED',
    )
    return member.post(`${path}/tasks/confirm_ds`, { key_id: unknownId, present: true })
  },
  tsigkey_not_found: missing(`${v2}/tsigkeys`),
  invalid_tsigkey: ({ admin }) =>
    admin.post(`${v2}/tsigkeys`, { ...key, name: 'nowhere', resource_id: unknownId }),
  async duplicate_tsigkey(scene) {
    const { pools } = (await scene.admin.get(`${v2}/pools`)).body
    return twice(`${v2}/tsigkeys`, { ...key, name: 'same', resource_id: pools[0].id })(scene)
  },
  pool_not_found: missing(`${v2}/pools`),
  duplicate_pool: twice(`${v2}/pools`, { name: 'same', ns_records: nsRecords }),
  async last_server_delete_not_allowed({ admin }) {
    const { pools } = (await admin.get(`${v2}/pools`)).body
    return admin.patch(`${v2}/pools/${pools[0].id}`, { ns_records: [] })
  },
  async invalid_operation({ admin, makeZone }) {
    await makeZone()
    const { pools } = (await admin.get(`${v2}/pools`)).body
    return admin.delete(`${v2}/pools/${pools[0].id}`)
  },
  async no_servers_configured({ admin }) {
    const { body: pool } = await admin.post(`${v2}/pools`, { name: 'bare' })
    const attributes = { pool_id: pool.id }
    return admin.post(`${v2}/zones`, { name: 'bare.example.', email, attributes })
  },
  service_status_not_found: missing(`${v2}/service_statuses`),
  report_not_found: ({ admin }) => admin.get('/admin/reports/counts/nothing'),
  server_not_found: missing('/v1/servers'),
  duplicate_server: twice('/v1/servers', { name: 'ns9.example.net.' }),
  duplicate_floatingip: twice(`${v2}/reverse/floatingips`, {
    region: 'North',
    address: '192.0.2.9',
    project_id: 'one',
  }),
  budget_not_found: missing('/v2/budgets'),
  duplicate_budget: twice('/v2/budgets', { amount: '10.00' }),
} satisfies Partial<Record<ErrorType, Provocation>>

/** A provocation of every type but those that the test has itself. The compiler asks for each. */
export const provocations: Readonly<Record<Exclude<ErrorType, ProvokedElsewhere>, Provocation>> = {
  ...general,
  ...access,
  ...zones,
  ...recordsets,
  ...sharing,
  ...administration,
}
