import { Type } from 'typebox'
import type { Dialect } from '../dialect.ts'
import {
  component,
  flag,
  listOf,
  objectsWith,
  orNull,
  plainId,
  text,
  timestamp,
  uuid,
  whole,
} from '../openapi/fields.ts'

// What the routes of the older group answer.

const times = { created_at: timestamp, updated_at: orNull(timestamp) }
const description = orNull(text('web servers'))

export const domainAnswer = component('Domain', {
  id: uuid,
  name: text('example.com.'),
  email: orNull(text('ops@example.com')),
  ttl: orNull(whole(3600)),
  serial: whole(1795262400),
  description,
  ...times,
})
export const domainsAnswer = Type.Object({ domains: listOf(domainAnswer) })

export const recordAnswer = component('Record', {
  id: uuid,
  domain_id: uuid,
  name: text('www.example.com.'),
  type: text('A'),
  data: text('192.0.2.1'),
  priority: orNull(whole(10)),
  ttl: orNull(whole(60)),
  description,
  ...times,
})
export const listedRecordAnswer = component('ListedRecord', {
  ...recordAnswer.properties,
  tenant_id: orNull(plainId),
  version: whole(1),
})
export const recordsAnswer = ({ showsRecordTenant }: Dialect) =>
  Type.Object({ records: listOf(showsRecordTenant ? listedRecordAnswer : recordAnswer) })

export const serverAnswer = component('Server', {
  id: uuid,
  name: text('ns1.example.net.'),
  ...times,
})
const keyedServers = Type.Object({ servers: listOf(serverAnswer) })
export const serversAnswer = ({ keysServers }: Dialect) =>
  keysServers ? keyedServers : listOf(serverAnswer)
export const domainServersAnswer = keyedServers

export const tsigKeyAnswer = component('TsigKeyV1', {
  id: uuid,
  name: text('secondaries'),
  algorithm: text('hmac-sha256'),
  secret: text('c2VjcmV0'),
})
export const tsigKeysAnswer = Type.Object({ tsigkeys: listOf(tsigKeyAnswer) })

export const limitsAnswer = Type.Object({
  limits: Type.Object({
    absolute: Type.Object({ maxDomains: whole(10), maxDomainRecords: whole(500) }),
  }),
})

export const tenantsAnswer = Type.Object({
  tenants: objectsWith({ id: plainId, domain_count: whole(1) }),
})
export const tenantAnswer = Type.Object({
  id: plainId,
  domain_count: whole(1),
  domains: listOf(text('example.com.')),
})
export const countsAnswer = Type.Object({
  tenants: Type.Optional(whole(1)),
  domains: Type.Optional(whole(3)),
  records: Type.Optional(whole(6)),
})

const probe = Type.Object({
  status: flag,
  rtt: Type.Optional(text('0.000151')),
  message: Type.Optional(text('nothing listens there')),
})
export const pingAnswer = Type.Object({
  host: text('ns1.example.net'),
  status: flag,
  backend: probe,
  storage: probe,
  message: Type.Optional(text('the disk is full')),
})
