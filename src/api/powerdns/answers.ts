import { Type } from 'typebox'
import { component, flag, listOf, objectsWith, oneOf, text, whole } from '../openapi/fields.ts'

// What PowerDNS's API answers.

const zone = {
  account: text(''),
  api_rectify: flag,
  catalog: text(''),
  dnssec: flag,
  edited_serial: whole(1795262400),
  id: text('example.com.'),
  kind: text('Master'),
  last_check: whole(0),
  master_tsig_key_ids: listOf(text('secondaries.')),
  masters: listOf(text('192.0.2.1')),
  name: text('example.com.'),
  notified_serial: whole(1795262400),
  nsec3narrow: flag,
  nsec3param: text(''),
  serial: whole(1795262400),
  slave_tsig_key_ids: listOf(text('secondaries.')),
  soa_edit: text(''),
  soa_edit_api: text('DEFAULT'),
  url: text('/api/v1/servers/localhost/zones/example.com.'),
}
const rrset = component('Rrset', {
  comments: objectsWith({
    content: text('front door'),
    account: text(''),
    modified_at: whole(1795262400),
  }),
  name: text('www.example.com.'),
  records: objectsWith({ content: text('192.0.2.1'), disabled: flag }),
  ttl: whole(3600),
  type: text('A'),
})
export const zoneAnswer = component('PowerDnsZone', {
  ...zone,
  rrsets: Type.Optional(listOf(rrset)),
})
export const zonesAnswer = listOf(component('PowerDnsListedZone', zone))

export const cryptoKeysAnswer = listOf(
  component('PowerDnsCryptokey', {
    type: text('Cryptokey'),
    id: whole(45120),
    keytype: oneOf('csk', 'ksk', 'zsk'),
    active: flag,
    published: flag,
    flags: whole(257),
    dnskey: text(
      '257 3 13 mdsswUyr3DPW132mOi8V9xESWE8jTo0dxCjjnopKl+GqJxpVXckHAeF+KkxLbxILfDLUT0rAK9iUzy1L53eKGQ==',
    ),
    algorithm: text('ECDSAP256SHA256'),
    ds: listOf(text('45120 13 2 d5c9db2d2b5c3c1f7b6d2f7d7f1c4e5a6b7c8d9e0f1a2b3c4d5e6f708192a3b4')),
  }),
)

export const versionsAnswer = objectsWith({ url: text('/api/v1'), version: whole(1) })

export const serverAnswer = component('PowerDnsServer', {
  type: text('Server'),
  id: text('localhost'),
  daemon_type: text('authoritative'),
  version: text('4.9.0'),
  zonewright: text('0.1.0'),
  url: text('/api/v1/servers/localhost'),
  config_url: text('/api/v1/servers/localhost/config{/config_setting}'),
  zones_url: text('/api/v1/servers/localhost/zones{/zone}'),
})

export const statisticsAnswer = objectsWith({
  type: text('StatisticItem'),
  name: text('udp-answers'),
  value: text('2'),
})

export const flushAnswer = Type.Object({ count: whole(0), result: text('Flushed cache.') })

export const resultAnswer = Type.Object({ result: text('Notification queued') })

export const searchAnswer = objectsWith({
  object_type: text('record'),
  name: text('www.example.com.'),
  zone_id: text('example.com.'),
  zone: Type.Optional(text('example.com.')),
  type: Type.Optional(text('A')),
  ttl: Type.Optional(whole(300)),
  content: Type.Optional(text('192.0.2.1')),
  disabled: Type.Optional(flag),
})

export const metadataAnswer = component('PowerDnsMetadata', {
  type: text('Metadata'),
  kind: text('ALLOW-AXFR-FROM'),
  metadata: listOf(text('192.0.2.2')),
})

export const tsigKeyAnswer = component('PowerDnsTsigKey', {
  algorithm: text('hmac-sha256'),
  id: text('secondaries.'),
  key: text('c2VjcmV0'),
  name: text('secondaries'),
  type: text('TSIGKey'),
})
export const tsigKeysAnswer = listOf(tsigKeyAnswer)
