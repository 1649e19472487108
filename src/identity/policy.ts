import { ApiError } from '../errors.ts'
import type { Caller, RoleName } from './caller.ts'

// Designate's and CloudKitty's rule names and default roles. A rule names the least role that passes it; `anyone` is every
// caller with a project. The service, not a rule, checks whose resource it is (own, shared, foreign).

const leastRoles = {
  get_limits: 'anyone',
  find_zone_transfer_requests: 'anyone',
  get_zone_transfer_request: 'anyone',
  find_zone_shares: 'anyone',
  find_floatingips: 'anyone',

  find_zones: 'reader',
  get_zone: 'reader',
  get_zone_ns_records: 'reader',
  find_recordsets: 'reader',
  get_recordset: 'reader',
  get_quotas: 'reader',
  find_dnssec_policies: 'reader',
  find_zone_imports: 'reader',
  get_zone_import: 'reader',
  find_zone_exports: 'reader',
  get_zone_export: 'reader',
  get_zone_transfer_accept: 'reader',
  get_zone_share: 'reader',
  get_webhooks: 'reader',
  find_history: 'reader',

  create_zone: 'member',
  update_zone: 'member',
  delete_zone: 'member',
  touch_zone: 'member',
  xfr_zone: 'member',
  create_recordset: 'member',
  update_recordset: 'member',
  delete_recordset: 'member',
  create_zone_import: 'member',
  delete_zone_import: 'member',
  create_zone_export: 'member',
  delete_zone_export: 'member',
  zone_export: 'member',
  create_zone_transfer_request: 'member',
  update_zone_transfer_request: 'member',
  delete_zone_transfer_request: 'member',
  create_zone_transfer_accept: 'member',
  share_zone: 'member',
  unshare_zone: 'member',
  update_floatingip: 'member',
  manage_webhooks: 'member',
  manage_dnssec_keys: 'member',

  // The specification's `abandon_domain`.
  abandon_zone: 'admin',
  pool_move_zone: 'admin',
  write_secondary_recordset: 'admin',
  zone_create_forced_pool: 'admin',
  use_any_masters: 'admin',
  manage_catalogs: 'admin',
  use_blacklisted_zone: 'admin',
  use_low_ttl: 'admin',
  use_sudo: 'admin',
  all_tenants: 'admin',
  edit_managed_records: 'admin',
  hard_delete: 'admin',
  find_zone_transfer_accepts: 'admin',
  set_quota: 'admin',
  reset_quotas: 'admin',
  manage_blacklists: 'admin',
  manage_query_log: 'admin',
  manage_tlds: 'admin',
  export_dnssec_keys: 'admin',
  manage_dnssec_policies: 'admin',
  manage_tsigkeys: 'admin',
  manage_pools: 'admin',
  manage_servers: 'admin',
  manage_floatingips: 'admin',
  find_service_statuses: 'admin',
  find_nodes: 'admin',
  delete_node: 'admin',
  get_metrics: 'admin',
  check_consistency: 'admin',
  make_backup: 'admin',
  diagnostics_ping: 'admin',
  diagnostics_sync_zones: 'admin',
  diagnostics_sync_zone: 'admin',
  diagnostics_sync_record: 'admin',
  find_tenants: 'admin',
  get_tenant: 'admin',
  count_tenants: 'admin',
  manage_identity: 'admin',

  'dataframes:get': 'anyone',
  'summary:get_summary': 'anyone',
  'budgets:get': 'reader',
  'budgets:add': 'member',
  'budgets:update': 'member',
  'budgets:delete': 'member',
  'dataframes:add': 'admin',
  'scope:get_state': 'admin',
  'scope:reset_state': 'admin',
  'scope:post_state': 'admin',
  'scope:patch_state': 'admin',
  'schedule:task_reprocesses': 'admin',
  'schedule:get_task_reprocesses': 'admin',
  'info:get_config': 'anyone',
  'info:list_metrics_info': 'anyone',
  'rating:quote': 'anyone',
  'report:get_total': 'anyone',
  'report:get_summary': 'anyone',
  'storage:list_data_frames': 'anyone',
  'report:list_tenants': 'admin',
  'collector:list_mappings': 'admin',
  'collector:manage_mapping': 'admin',
  'collector:get_state': 'admin',
  'collector:update_state': 'admin',
  'rating:list_modules': 'admin',
  'rating:get_module': 'admin',
  'rating:update_module': 'admin',
  'rating:module_config': 'admin',
} as const satisfies Record<string, RoleName | 'anyone'>

export type Rule = keyof typeof leastRoles

/** The least role that passes a rule. */
export function leastRoleOf(rule: Rule): RoleName | 'anyone' {
  return leastRoles[rule]
}

/** Whether the caller's roles pass a rule. */
export function isAllowed(caller: Pick<Caller, 'roles'>, rule: Rule): boolean {
  const role = leastRoles[rule]
  return role === 'anyone' || caller.roles.includes(role)
}

/** @throws ApiError forbidden: the caller's roles do not pass the rule. */
export function requireAllowed(caller: Pick<Caller, 'roles'>, rule: Rule): void {
  if (isAllowed(caller, rule)) return
  throw new ApiError('forbidden', `${rule} needs the role ${leastRoles[rule]}`)
}

/** Roles with those that they imply: an admin is a member, a member is a reader. Keeps the order, and unknown roles. */
export function withImpliedRoles(roles: readonly string[]): readonly string[] {
  const all = new Set(roles)
  if (all.has('admin')) all.add('member')
  if (all.has('member')) all.add('reader')
  return [...all]
}
