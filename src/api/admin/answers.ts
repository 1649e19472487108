import { Type } from 'typebox'
import { allQuotas } from '../dns/quota-form.ts'
import {
  component,
  countedPageOf,
  listOf,
  objectsWith,
  oneOf,
  plainId,
  selfLink,
  text,
  timestamp,
  uuid,
  whole,
} from '../openapi/fields.ts'

// What administrators are answered over all projects.

export const quotaAnswer = Type.Object({ quota: allQuotas.answer })

const someCount = Type.Optional(whole(3))
export const countsAnswer = Type.Object({
  counts: objectsWith({
    zones: someCount,
    records: someCount,
    tenants: someCount,
    zones_delayed_notify: someCount,
  }),
})

export const tenantsAnswer = countedPageOf(
  'tenants',
  Type.Object({ id: plainId, zone_count: whole(1), links: selfLink }),
)
export const tenantAnswer = Type.Object({
  id: plainId,
  zones_count: whole(1),
  zones: listOf(text('example.com.')),
  links: selfLink,
})

export const abandonedZonesAnswer = countedPageOf(
  'zones',
  component('AbandonedZone', {
    id: uuid,
    name: text('example.com.'),
    type: oneOf('PRIMARY', 'SECONDARY'),
    serial: whole(1795262400),
    pool_id: uuid,
    project_id: plainId,
    record_count: whole(2),
    abandoned_at: timestamp,
    links: selfLink,
  }),
)

const perhaps = Type.Optional(Type.String())
const count = Type.Integer({ minimum: 0 })

/** The result of a check, for reading and writing: the command line program requests it from the server. */
export const checkAnswer = Type.Object({
  is_consistent: Type.Boolean(),
  counts: Type.Object({
    zones: count,
    abandoned_zones: count,
    recordsets: count,
    rows: count,
    names: count,
    unsettled_zones: count,
  }),
  findings: Type.Array(
    Type.Object({
      kind: Type.String(),
      collection: perhaps,
      id: perhaps,
      zone: perhaps,
      name: perhaps,
      type: perhaps,
      target: perhaps,
      problem: Type.String(),
      remedy: Type.String(),
    }),
  ),
  /** The number of findings not listed. */
  omitted_findings: count,
})
