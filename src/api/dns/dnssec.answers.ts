import { Type } from 'typebox'
import {
  component,
  listOf,
  objectsWith,
  oneOf,
  orNull,
  text,
  timestamp,
  uuid,
  whole,
} from '../openapi/fields.ts'

const presence = oneOf('HIDDEN', 'RUMOURED', 'OMNIPRESENT', 'UNRETENTIVE')
const ds = text('45120 13 2 d5c9db2d2b5c3c1f7b6d2f7d7f1c4e5a6b7c8d9e0f1a2b3c4d5e6f708192a3b4')

export const dnssecKeyAnswer = component('DnssecKey', {
  id: uuid,
  tag: whole(45120),
  algorithm: whole(13),
  role: oneOf('CSK', 'KSK', 'ZSK'),
  goal: oneOf('OMNIPRESENT', 'HIDDEN'),
  states: Type.Object({
    dnskey: presence,
    dnskey_signatures: orNull(presence),
    zone_signatures: orNull(presence),
    ds: orNull(presence),
  }),
  dnskey: text(
    '257 3 13 mdsswUyr3DPW132mOi8V9xESWE8jTo0dxCjjnopKl+GqJxpVXckHAeF+KkxLbxILfDLUT0rAK9iUzy1L53eKGQ==',
  ),
  created_at: timestamp,
})

export const dnssecAnswer = component('ZoneDnssec', {
  status: oneOf('UNSIGNED', 'SIGNING', 'SIGNED', 'UNSIGNING', 'PRESIGNED'),
  denial: orNull(oneOf('NSEC', 'NSEC3', 'NSEC3_OPT_OUT')),
  policy_id: orNull(text('default')),
  serial: whole(1795262400),
  nearest_expiration: orNull(timestamp),
  ds: listOf(ds),
  ds_from: orNull(timestamp),
  cds_published: Type.Boolean(),
  signals_children: Type.Boolean(),
  parent: orNull(
    Type.Object({
      zone: orNull(text('com.')),
      hosted_here: Type.Boolean(),
      servers: objectsWith({
        host: text('a.gtld-servers.net.'),
        ds: listOf(ds),
        error: orNull(text('')),
      }),
      checked_at: orNull(timestamp),
      notified: objectsWith({
        host: text('dsync.registry.example.'),
        port: whole(53),
        acknowledged: Type.Boolean(),
      }),
      notified_at: orNull(timestamp),
      signalled_at: listOf(text('_dsboot.example.com._signal.ns1.example.net.')),
    }),
  ),
  keys: listOf(dnssecKeyAnswer),
  tasks: objectsWith({
    key_id: uuid,
    tag: whole(45120),
    step: text('introduce the DS'),
    waits_for: text('all servers of com. to have the DS: 11 of 13 do'),
    until: orNull(timestamp),
  }),
  problems: listOf(text('The parent has a DS of no key here: 1 13 2 00')),
  waits_for: orNull(text('the signatures of the zone are being made')),
})
