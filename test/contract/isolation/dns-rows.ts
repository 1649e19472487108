import { hostname } from 'node:os'
import type { Row, Rows } from './row.ts'
import { ownerEmail, type Things } from './things.ts'

const commonToAll = 'it is nobody’s: administrators keep it, or the program has it'
const targeted =
  'a transfer request for one project alone is 403 to the others, as in Designate, where an unknown one is 404'
const nsRecords = [{ hostname: 'ns.example.net.', priority: 1 }]
const tsigKey = { name: 'other', algorithm: 'hmac-sha256', secret: 'c2VjcmV0', scope: 'POOL' }

/** Of the owner’s zone, so that it is refused: a name below it is another project’s. */
const zoneBelow = (zoneName: string) => ({ name: `below.${zoneName}`, email: ownerEmail })

/** The v2 group, in both dialects. */
export const dnsRows: Rows = {
  'GET /v2/zones': {},
  'POST /v2/zones': { body: ({ zoneName }) => zoneBelow(zoneName) },
  'GET /v2/zones/:zone_id': {},
  'PATCH /v2/zones/:zone_id': { body: () => ({ ttl: 77 }) },
  'DELETE /v2/zones/:zone_id': {},
  'GET /v2/zones/:zone_id/nameservers': {},
  'POST /v2/zones/:zone_id/tasks/abandon': {},
  'POST /v2/zones/:zone_id/tasks/xfr': {},
  'POST /v2/zones/:zone_id/tasks/promote': {},
  'POST /v2/zones/:zone_id/tasks/pool_move': { body: () => ({}) },
  'GET /v2/zones/:zone_id/recordsets': {},
  'POST /v2/zones/:zone_id/recordsets': {
    body: ({ zoneName }) => ({ name: `new.${zoneName}`, type: 'A', records: ['192.0.2.1'] }),
  },
  'GET /v2/zones/:zone_id/recordsets/:recordset_id': {},
  'PUT /v2/zones/:zone_id/recordsets/:recordset_id': { body: () => ({ records: ['192.0.2.1'] }) },
  'PATCH /v2/zones/:zone_id/recordsets/:recordset_id': { body: () => ({ records: ['192.0.2.1'] }) },
  'DELETE /v2/zones/:zone_id/recordsets/:recordset_id': {},
  'POST /v2/zones/:zone_id/changes': {
    body: ({ ids }) => ({ delete: [{ id: ids.recordset_id }] }),
  },
  'GET /v2/zones/:zone_id/update_policy': {},
  'PUT /v2/zones/:zone_id/update_policy': { body: () => ({ rules: [] }) },
  'GET /v2/zones/:zone_id/history': {},
  'GET /v2/zones/:zone_id/statistics': {},
  'GET /v2/zones/:zone_id/servers': {},
  'GET /v2/zones/:zone_id/history/zone': { query: () => 'at=2099-01-01' },
  'GET /v2/zones/:zone_id/history/difference': { query: () => 'from=2099-01-01' },
  'GET /v2/top': {},
  'GET /v2/query_log_rules': {},
  'POST /v2/query_log_rules': { body: () => ({ seconds: 60 }) },
  'GET /v2/query_log_rules/:rule_id': {},
  'DELETE /v2/query_log_rules/:rule_id': {},
  'GET /v2/nodes': {},
  'DELETE /v2/nodes/:node_name': { parameters: () => ({ node_name: 'zw1' }) },
  'POST /v2/zones/:zone_id/undo': { body: () => ({ serial: 1 }) },
  'GET /v2/zones/:zone_id/recordsets/:recordset_id/history': {},
  'GET /v2/recordsets/:recordset_id/history': {},
  'GET /v2/history': {},
  'GET /v2/deleted_zones': {},
  'GET /v2/deleted_zones/:deleted_zone_id': {},
  'POST /v2/deleted_zones/:deleted_zone_id/restore': {},
  'GET /v2/webhooks': {},
  'POST /v2/webhooks': {
    body: () => ({ url: 'https://hooks.example.com/', event_types: ['none'] }),
    strangerWrites: 'the webhook is its own',
  },
  'GET /v2/webhooks/:webhook_id': {},
  'PATCH /v2/webhooks/:webhook_id': { body: () => ({ description: 'x' }) },
  'DELETE /v2/webhooks/:webhook_id': {},
  'GET /v2/webhooks/:webhook_id/deliveries': {},
  'POST /v2/webhooks/:webhook_id/deliveries/:delivery_id': {
    parameters: ({ ids }) => ({ webhook_id: ids.webhook_id ?? '', delivery_id: '1-0' }),
  },
  'GET /v2/zones/:zone_id/dnssec': {},
  'PUT /v2/zones/:zone_id/dnssec': { body: () => ({}) },
  'DELETE /v2/zones/:zone_id/dnssec': {},
  'POST /v2/zones/:zone_id/dnssec/tasks/roll': { body: () => ({ role: 'CSK' }) },
  'POST /v2/zones/:zone_id/dnssec/tasks/sign': {},
  'POST /v2/zones/:zone_id/dnssec/tasks/check_parent': {},
  'POST /v2/zones/:zone_id/dnssec/tasks/confirm_ds': {
    body: ({ ids }) => ({ key_id: ids.zone_id ?? '', present: true }),
  },
  'GET /v2/zones/:zone_id/dnssec/keys': {},
  'POST /v2/zones/:zone_id/dnssec/keys': { body: () => ({ private_key: 'x', role: 'CSK' }) },
  'GET /v2/zones/:zone_id/dnssec/keys/:key_id': {},
  'DELETE /v2/zones/:zone_id/dnssec/keys/:key_id': {},
  'GET /v2/zones/:zone_id/dnssec/keys/:key_id/private': {},
  'GET /v2/dnssec_policies': {},
  'POST /v2/dnssec_policies': { body: () => ({ name: 'other' }) },
  'GET /v2/dnssec_policies/:policy_id': { mayTell: commonToAll },
  'PATCH /v2/dnssec_policies/:policy_id': { body: () => ({ name: 'another' }) },
  'DELETE /v2/dnssec_policies/:policy_id': {},
  'GET /v2/recordsets': {},
  'GET /v2/recordsets/:recordset_id': {},
  'GET /v2/zones/:zone_id/shares': {},
  'POST /v2/zones/:zone_id/shares': { body: () => ({ target_project_id: 'another' }) },
  'GET /v2/zones/:zone_id/shares/:share_id': {},
  'DELETE /v2/zones/:zone_id/shares/:share_id': {},
  'POST /v2/zones/:zone_id/tasks/export': {},
  'GET /v2/zones/tasks/exports': {},
  'GET /v2/zones/tasks/exports/:export_id': {},
  'DELETE /v2/zones/tasks/exports/:export_id': {},
  'GET /v2/zones/tasks/exports/:export_id/export': {},
  'POST /v2/zones/tasks/imports': {
    body: ({ zoneName }) => ({
      zonefile: `$ORIGIN ${zoneName}\n@ SOA ns. ops.example.com. 1 2 3 4 5\n`,
    }),
    strangerWrites: 'the import is its own, and ends in ERROR',
  },
  'GET /v2/zones/tasks/imports': {},
  'GET /v2/zones/tasks/imports/:import_id': {},
  'DELETE /v2/zones/tasks/imports/:import_id': {},
  'POST /v2/zones/:zone_id/tasks/transfer_requests': { body: () => ({}) },
  'GET /v2/zones/tasks/transfer_requests': {},
  'GET /v2/zones/tasks/transfer_requests/:transfer_request_id': { mayTell: targeted },
  'PATCH /v2/zones/tasks/transfer_requests/:transfer_request_id': {
    body: () => ({ description: 'x' }),
    mayTell: targeted,
  },
  'DELETE /v2/zones/tasks/transfer_requests/:transfer_request_id': { mayTell: targeted },
  // With the right key, which only the friend may use.
  'POST /v2/zones/tasks/transfer_accepts': {
    body: ({ ids, transferKey }) => ({
      key: transferKey,
      zone_transfer_request_id: ids.transfer_request_id,
    }),
  },
  'GET /v2/zones/tasks/transfer_accepts': {},
  'GET /v2/zones/tasks/transfer_accepts/:transfer_accept_id': {},
  'GET /v2/reverse/floatingips': {},
  'POST /v2/reverse/floatingips': {
    body: ({ ids }) => ({ region: 'North', address: '192.0.2.78', project_id: ids.project_id }),
  },
  'GET /v2/reverse/floatingips/:floatingip_key': {},
  'PATCH /v2/reverse/floatingips/:floatingip_key': {
    body: () => ({ ptrdname: 'www.example.net.' }),
  },
  'DELETE /v2/reverse/floatingips/:floatingip_key': {},
  'GET /v2/blacklists': {},
  'POST /v2/blacklists': { body: () => ({ pattern: '^x' }) },
  'GET /v2/blacklists/:blacklist_id': {},
  'PATCH /v2/blacklists/:blacklist_id': { body: () => ({ pattern: '^x' }) },
  'DELETE /v2/blacklists/:blacklist_id': {},
  'GET /v2/tlds': {},
  'POST /v2/tlds': { body: () => ({ name: 'net' }) },
  'GET /v2/tlds/:tld_id': {},
  'PATCH /v2/tlds/:tld_id': { body: () => ({ name: 'net' }) },
  'DELETE /v2/tlds/:tld_id': {},
  'GET /v2/tsigkeys': {},
  'POST /v2/tsigkeys': { body: ({ ids }) => ({ ...tsigKey, resource_id: ids.pool_id }) },
  'GET /v2/tsigkeys/:tsigkey_id': {},
  'PATCH /v2/tsigkeys/:tsigkey_id': { body: () => ({ name: 'x' }) },
  'DELETE /v2/tsigkeys/:tsigkey_id': {},
  'GET /v2/tsigkeys/:tsigkey_id/uses': {},
  'GET /v2/quotas': {},
  'GET /v2/quotas/:project_id': {},
  'PATCH /v2/quotas/:project_id': { body: () => ({ zones: 1 }) },
  'DELETE /v2/quotas/:project_id': {},
  'GET /v2/limits': {},
  'GET /v2/pools': {},
  'POST /v2/pools': { body: () => ({ name: 'third', ns_records: nsRecords }) },
  'GET /v2/pools/:pool_id': {},
  'PATCH /v2/pools/:pool_id': { body: () => ({ name: 'x' }) },
  'DELETE /v2/pools/:pool_id': {},
  'GET /v2/service_statuses': {},
  'GET /v2/service_statuses/:service_status_id': {},
  // From the very first change on.
  'GET /v2/events': { headers: () => ({ 'last-event-id': '0' }), isStream: true },
}

/** Keys of the default pool are all that the older group knows. */
const defaultPoolKey = ({ ids }: Things) => ({ tsigkey_id: ids.default_pool_tsigkey_id ?? '' })

/** The older group, and what its extensions add. */
export const dnsV1Rows: Rows = {
  'GET /v1/domains': {},
  'POST /v1/domains': { body: ({ zoneName }) => zoneBelow(zoneName) },
  'GET /v1/domains/:domain_id': {},
  'PUT /v1/domains/:domain_id': { body: () => ({ ttl: 77 }) },
  'DELETE /v1/domains/:domain_id': {},
  'GET /v1/domains/:domain_id/servers': {},
  'GET /v1/domains/:domain_id/records': {},
  'POST /v1/domains/:domain_id/records': {
    body: ({ zoneName }) => ({ name: `new.${zoneName}`, type: 'A', data: '192.0.2.1' }),
  },
  'GET /v1/domains/:domain_id/records/:record_id': {},
  'PUT /v1/domains/:domain_id/records/:record_id': { body: () => ({ data: '192.0.2.1' }) },
  'DELETE /v1/domains/:domain_id/records/:record_id': {},
  'POST /v1/domains/sync': {},
  'POST /v1/domains/:domain_id/sync': {},
  'POST /v1/domains/:domain_id/records/:record_id/sync': {},
  'POST /v1/domains/:domain_id/touch': {},
  'GET /v1/servers': {},
  'POST /v1/servers': { body: () => ({ name: 'ns3.example.net.' }) },
  'GET /v1/servers/:server_id': {},
  'PUT /v1/servers/:server_id': { body: () => ({ name: 'ns3.example.net.' }) },
  'DELETE /v1/servers/:server_id': {},
  'GET /v1/tsigkeys': {},
  'POST /v1/tsigkeys': {
    body: () => ({ name: 'other', algorithm: 'hmac-sha256', secret: 'c2VjcmV0' }),
  },
  'GET /v1/tsigkeys/:tsigkey_id': { parameters: defaultPoolKey },
  'PUT /v1/tsigkeys/:tsigkey_id': { parameters: defaultPoolKey, body: () => ({ name: 'x' }) },
  'DELETE /v1/tsigkeys/:tsigkey_id': { parameters: defaultPoolKey },
  'GET /v1/quotas/:tenant_id': {},
  'PUT /v1/quotas/:tenant_id': { body: () => ({ domains: 1 }) },
  'POST /v1/quotas/:tenant_id': { body: () => ({ domains: 1 }) },
  'DELETE /v1/quotas/:tenant_id': {},
  'GET /v1/limits': {},
  'GET /v1/schemas/:schema_name': {
    parameters: () => ({ schema_name: 'domain' }),
    mayTell: commonToAll,
  },
  'GET /v1/reports/counts': {},
  'GET /v1/reports/counts/domains': {},
  'GET /v1/reports/counts/records': {},
  'GET /v1/reports/counts/tenants': {},
  'GET /v1/reports/tenants': {},
  'GET /v1/reports/tenants/:tenant_id': {},
  'GET /v1/diagnostics/ping/:topic/:host': {
    parameters: () => ({ topic: 'api', host: hostname() }),
  },
}

/** What administrators ask over all projects, and what anybody may ask. */
export const otherRows: Rows = {
  'GET /admin/quotas/:project_id': {},
  'PATCH /admin/quotas/:project_id': { body: () => ({ quota: { zones: 1 } }) },
  'DELETE /admin/quotas/:project_id': {},
  'GET /admin/reports/counts': {},
  'GET /admin/reports/counts/:report': { parameters: () => ({ report: 'zones' }) },
  'GET /admin/reports/tenants': {},
  'GET /admin/reports/tenants/:project_id': {},
  'GET /admin/zones/abandoned': {},
  'DELETE /admin/zones/abandoned/:zone_id': {},
  'GET /admin/zones/export/:zone_id': {},
  'POST /admin/check': {},
  'GET /admin/backup': {},
  'GET /': {},
  'GET /dns': {},
  'GET /docs': {},
  'GET /docs/:file': { parameters: () => ({ file: 'start.js' }), mayTell: commonToAll },
  'GET /healthz': {},
  'GET /metrics': {},
  'GET /openapi.json': {},
  'GET /readyz': {},
}

const localhost = '/api/v1/servers/localhost'
/** Zones stand by their names in the paths of PowerDNS. */
const ofNamedZone: Row = { parameters: ({ zoneName }) => ({ zone_id: zoneName }) }
const metadata = { kind: 'ALLOW-AXFR-FROM', metadata: ['192.0.2.2'] }
const ofMetadata: Row = {
  parameters: ({ zoneName }) => ({ zone_id: zoneName, metadata_kind: 'ALLOW-AXFR-FROM' }),
}
const ofNamedKey: Row = { parameters: () => ({ tsigkey_id: 'older' }) }
const search = { query: ({ zoneName }: Things) => `q=${zoneName}` }

/** PowerDNS's API. */
export const powerDnsRows: Rows = {
  'GET /api': {},
  'GET /api/v1/servers': { mayTell: 'there is one server' },
  [`GET ${localhost}`]: { mayTell: 'there is one server' },
  [`GET ${localhost}/statistics`]: {},
  [`PUT ${localhost}/cache/flush`]: { mayTell: 'nothing is done' },
  [`GET ${localhost}/search-data`]: search,
  [`GET ${localhost}/zones`]: {},
  [`POST ${localhost}/zones`]: {
    body: ({ zoneName }) => ({ name: `below.${zoneName}`, kind: 'Native' }),
  },
  [`GET ${localhost}/zones/:zone_id`]: ofNamedZone,
  [`PATCH ${localhost}/zones/:zone_id`]: {
    ...ofNamedZone,
    body: ({ zoneName: name }) => ({ rrsets: [{ name, type: 'A', changetype: 'DELETE' }] }),
  },
  [`PUT ${localhost}/zones/:zone_id`]: { ...ofNamedZone, body: () => ({ kind: 'Master' }) },
  [`DELETE ${localhost}/zones/:zone_id`]: ofNamedZone,
  [`GET ${localhost}/zones/:zone_id/export`]: ofNamedZone,
  [`PUT ${localhost}/zones/:zone_id/notify`]: ofNamedZone,
  [`PUT ${localhost}/zones/:zone_id/axfr-retrieve`]: ofNamedZone,
  [`PUT ${localhost}/zones/:zone_id/rectify`]: ofNamedZone,
  [`GET ${localhost}/zones/:zone_id/metadata`]: ofNamedZone,
  [`POST ${localhost}/zones/:zone_id/metadata`]: { ...ofNamedZone, body: () => metadata },
  [`GET ${localhost}/zones/:zone_id/metadata/:metadata_kind`]: ofMetadata,
  [`PUT ${localhost}/zones/:zone_id/metadata/:metadata_kind`]: {
    ...ofMetadata,
    body: () => metadata,
  },
  [`DELETE ${localhost}/zones/:zone_id/metadata/:metadata_kind`]: ofMetadata,
  [`GET ${localhost}/tsigkeys`]: {},
  [`POST ${localhost}/tsigkeys`]: {
    body: () => ({ name: 'other', algorithm: 'hmac-sha256', key: 'c2VjcmV0' }),
  },
  [`GET ${localhost}/tsigkeys/:tsigkey_id`]: ofNamedKey,
  [`PUT ${localhost}/tsigkeys/:tsigkey_id`]: { ...ofNamedKey, body: () => ({ key: 'c2VjcmV0' }) },
  [`DELETE ${localhost}/tsigkeys/:tsigkey_id`]: ofNamedKey,
  [`GET ${localhost}/zones/:zone_id/cryptokeys`]: ofNamedZone,
}
