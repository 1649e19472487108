import { type TProperties, Type } from 'typebox'
import {
  anything,
  component,
  countedPageOf,
  flag,
  link,
  listOf,
  number,
  objectsWith,
  oneOf,
  orNull,
  pageOf,
  plainId,
  selfLink,
  text,
  texts,
  timestamp,
  uuid,
  whole,
} from '../openapi/fields.ts'

// What the routes of the v2 group answer.

const times = { created_at: timestamp, updated_at: orNull(timestamp) }
export const description = orNull(text('web servers'))
const ttl = orNull(whole(3600))
const states = {
  status: oneOf('ACTIVE', 'PENDING', 'ERROR'),
  action: oneOf('NONE', 'CREATE', 'UPDATE', 'DELETE'),
}
const state = { ...states, status_reason: orNull(text('connection refused')) }

export const zoneAnswer = component('Zone', {
  id: uuid,
  pool_id: uuid,
  project_id: plainId,
  name: text('example.com.'),
  email: orNull(text('ops@example.com')),
  description,
  ttl,
  serial: whole(1795262400),
  ...state,
  type: oneOf('PRIMARY', 'SECONDARY'),
  masters: orNull(listOf(text('192.0.2.1'))),
  attributes: texts({ tier: 'gold' }),
  shared: flag,
  version: whole(1),
  ...times,
  transferred_at: orNull(timestamp),
  links: selfLink,
})
export const zonesAnswer = countedPageOf('zones', zoneAnswer)

const nameserver = Type.Object({ hostname: text('ns1.example.net.'), priority: whole(1) })
export const nameserversAnswer = Type.Object({ nameservers: listOf(nameserver) })

export const recordsetAnswer = component('Recordset', {
  id: uuid,
  zone_id: uuid,
  zone_name: text('example.com.'),
  project_id: plainId,
  name: text('www.example.com.'),
  type: text('A'),
  ttl,
  description,
  records: listOf(text('192.0.2.1')),
  ...state,
  version: whole(1),
  ...times,
  links: selfLink,
})
export const recordsetsAnswer = countedPageOf('recordsets', recordsetAnswer)

const changed = objectsWith({
  id: uuid,
  name: text('www.example.com.'),
  type: text('A'),
  version: whole(2),
})
export const changesAnswer = component('Changes', {
  zone_id: uuid,
  serial_before: whole(1795262400),
  serial: whole(1795262401),
  created: changed,
  replaced: changed,
  deleted: changed,
  dry_run: Type.Optional(flag),
  diff: Type.Optional(listOf(text('+www.example.com. 300 IN A 192.0.2.1'))),
})

export const updatePolicyAnswer = component('UpdatePolicy', {
  rules: objectsWith({
    key: orNull(text('host.example.com.')),
    addresses: listOf(text('192.0.2.0/24')),
    match: text('name'),
    name: orNull(text('_acme-challenge.example.com.')),
    types: listOf(text('TXT')),
  }),
})

export const shareAnswer = component('ZoneShare', {
  id: uuid,
  zone_id: uuid,
  project_id: plainId,
  target_project_id: plainId,
  ...times,
  links: Type.Object({ self: link, zone: link }),
})
export const sharesAnswer = pageOf('shared_zones', shareAnswer)

export const floatingIpAnswer = component('FloatingIp', {
  id: text('North:b7c0d27e-a412-4917-b6c3-0b7cb8eda6d5'),
  project_id: plainId,
  address: text('192.0.2.1'),
  ptrdname: orNull(text('mail.example.com.')),
  description,
  ttl,
  status: orNull(states.status),
  action: orNull(states.action),
  links: selfLink,
})
export const floatingIpsAnswer = pageOf('floatingips', floatingIpAnswer)

const task = {
  id: uuid,
  status: oneOf('PENDING', 'COMPLETE', 'ERROR'),
  message: orNull(text('example.com. imported')),
  zone_id: orNull(uuid),
  project_id: plainId,
  version: whole(1),
  ...times,
}

export const exportAnswer = component('ZoneExport', {
  ...task,
  location: orNull(
    text('designate://v2/zones/tasks/exports/a86dba58-0043-4cc6-a1bb-69d5e86f3ca3/export'),
  ),
  links: Type.Object({ self: link, export: Type.Optional(link) }),
})
export const exportsAnswer = countedPageOf('exports', exportAnswer)

const named = <F extends TProperties>(fields: F) =>
  Type.Object({
    count: whole(1),
    named: objectsWith({ name: text('www.example.com.'), type: text('A'), ...fields }),
  })
const noted = named({ reason: text('the name servers are those of the pool') })
const content = orNull(
  Type.Object({
    ttl: orNull(whole(60)),
    record_count: whole(1),
    records: listOf(text('192.0.2.1')),
  }),
)
const differing = named({ before: content, after: content })
export const importAnswer = component('ZoneImport', {
  ...task,
  report: Type.Optional(
    orNull(
      Type.Object({
        left_out: noted,
        changed: noted,
        difference: orNull(
          Type.Object({ added: differing, changed: differing, removed: differing }),
        ),
      }),
    ),
  ),
  links: Type.Object({ self: link, zone: Type.Optional(link) }),
})
export const zoneFileAnswer = text('example.com. 3600 IN NS ns1.example.net.\n')

export const importsAnswer = countedPageOf('imports', importAnswer)

/** Projects other than the owner see only the offer of a request. */
export const transferRequestAnswer = component('ZoneTransferRequest', {
  id: uuid,
  zone_id: uuid,
  zone_name: text('example.com.'),
  description,
  status: oneOf('ACTIVE', 'COMPLETE'),
  links: selfLink,
  project_id: Type.Optional(plainId),
  target_project_id: Type.Optional(orNull(plainId)),
  key: Type.Optional(text('FF25FIBJ')),
  created_at: Type.Optional(timestamp),
  updated_at: Type.Optional(orNull(timestamp)),
})
export const transferRequestsAnswer = pageOf('transfer_requests', transferRequestAnswer)

export const transferAcceptAnswer = component('ZoneTransferAccept', {
  id: uuid,
  zone_transfer_request_id: uuid,
  zone_id: uuid,
  project_id: plainId,
  key: orNull(text('FF25FIBJ')),
  status: oneOf('COMPLETE'),
  ...times,
  links: Type.Object({ self: link, zone: link }),
})
export const transferAcceptsAnswer = countedPageOf('transfer_accepts', transferAcceptAnswer)

export const poolAnswer = component('Pool', {
  id: uuid,
  name: text('default'),
  description: orNull(text('Default Pool')),
  project_id: orNull(plainId),
  attributes: texts({ also_notify: '192.0.2.2:53' }),
  ns_records: listOf(nameserver),
  ...times,
  links: selfLink,
})
export const poolsAnswer = Type.Object({
  ...pageOf('pools', poolAnswer).properties,
  metadata: Type.Null(),
})

export const serviceStatusAnswer = component('ServiceStatus', {
  id: uuid,
  hostname: text('ns1.example.net'),
  service_name: text('dns'),
  status: oneOf('UP', 'DOWN'),
  stats: anything({ listen: ['192.0.2.1:53'] }),
  capabilities: anything({}),
  heartbeated_at: timestamp,
  ...times,
  links: selfLink,
})
export const serviceStatusesAnswer = pageOf('service_statuses', serviceStatusAnswer)

/** The fields that every row has that administrators keep. */
export const adminRowAnswer = (title: string, fields: object) =>
  component(title, { id: uuid, ...fields, ...times, links: selfLink })

export const tsigKeyUsesAnswer = Type.Object({
  uses: objectsWith({
    resource: oneOf('pool', 'zone'),
    id: uuid,
    name: text('example.com.'),
    places: listOf(oneOf('allow_transfer', 'also_notify', 'transfer_key', 'update_policy')),
  }),
  metadata: Type.Object({ total_count: whole(1) }),
})

export const nodeAnswer = component('Node', {
  name: text('zw1'),
  url: text('http://192.0.2.1:9001'),
  version: text('0.1.0'),
  status: oneOf('UP', 'GONE'),
  has_duty: flag,
  seen_seconds_ago: number(0.7),
  clock_ahead_seconds: number(0.002),
  problem: orNull(text('the clock of this node is 75.2 s ahead of that of PostgreSQL')),
  lsn: whole(4711),
  link: text('9b74c9897bac770ffc029102a200c5de'),
  commits_behind: whole(0),
  copy_behind: flag,
  settings: text('d7a8fbb307d78094'),
  metered_until: orNull(whole(498_682)),
})

export const deletedZoneAnswer = component('DeletedZone', {
  id: uuid,
  name: text('example.com.'),
  type: oneOf('PRIMARY', 'SECONDARY'),
  project_id: plainId,
  email: orNull(text('ops@example.com')),
  description: orNull(text('web servers')),
  serial: whole(1795262400),
  created_at: timestamp,
  deleted_at: timestamp,
})

export const zoneServersAnswer = component('ZoneServers', {
  name: text('www.example.com.'),
  type: text('A'),
  stored: orNull(Type.Object({ ttl: whole(3600), records: listOf(text('192.0.2.1')) })),
  servers: objectsWith({
    host: text('ns1.example.net.'),
    address: orNull(text('192.0.2.53:53')),
    is_same: flag,
    rcode: orNull(text('NOERROR')),
    authoritative: orNull(flag),
    ttl: orNull(whole(3600)),
    records: listOf(text('192.0.2.1')),
    error: orNull(text('no answer within 2 s')),
  }),
})

const counts = (example: Readonly<Record<string, number>>) =>
  Type.Record(Type.String(), Type.Integer(), { examples: [example] })
export const zoneStatisticsAnswer = component('ZoneStatistics', {
  zone_id: uuid,
  since: timestamp,
  responses: whole(1234),
  response_octets: whole(123_400),
  by_transport: counts({ udp: 1200, tcp: 34 }),
  by_rcode: counts({ NOERROR: 1200, NXDOMAIN: 34 }),
  by_type: counts({ A: 800, AAAA: 400, other: 34 }),
})

const queries = whole(1200)
export const topAnswer = component('Top', {
  since: timestamp,
  queries: whole(3000),
  samples: whole(3000),
  zones: objectsWith({ zone_id: uuid, zone_name: text('example.com.'), queries }),
  names: objectsWith({ name: text('www.example.com.'), type: text('A'), queries }),
  clients: objectsWith({ client: text('192.0.2.53'), queries }),
  types: objectsWith({ type: text('A'), queries }),
  rcodes: objectsWith({ rcode: text('NOERROR'), queries }),
})

const webhook = {
  id: uuid,
  project_id: plainId,
  url: link,
  event_types: listOf(text('dns.zone.')),
  description: orNull(text('alerts')),
  created_at: timestamp,
  updated_at: orNull(timestamp),
  links: selfLink,
}
export const webhookAnswer = component('Webhook', webhook)
export const newWebhookAnswer = Type.Object({ ...webhook, secret: text('9pVb6vZcQ3mP0Yb8lq0nXw') })
export const webhooksAnswer = Type.Object({ webhooks: listOf(webhookAnswer) })
export const deliveryAnswer = component('WebhookDelivery', {
  id: text('1234-0'),
  event_type: text('dns.zone.create'),
  attempted_at: timestamp,
  attempts: whole(1),
  status: oneOf('DELIVERED', 'FAILING', 'GIVEN_UP'),
  reason: orNull(text('it answered 503')),
})
export const deliveriesAnswer = Type.Object({ deliveries: listOf(deliveryAnswer) })

export const limitsAnswer = component('Limits', {
  max_zones: whole(10),
  max_zone_recordsets: whole(500),
  max_zone_records: whole(500),
  max_recordset_records: whole(20),
  min_ttl: whole(0),
  max_zone_name_length: whole(255),
  max_recordset_name_length: whole(255),
  max_page_limit: whole(1000),
})
