import { type TSchema, Type } from 'typebox'
import {
  anything,
  bareSecond,
  component,
  flag,
  listOf,
  objectsWith,
  orNull,
  plainId,
  text,
  uuid,
  whole,
} from '../../openapi/fields.ts'

// What CloudKitty's first API answers.

/** A list under its key, or one of it where it was named. */
export const listOrOne = <S extends TSchema>(key: string, item: S) =>
  Type.Union([Type.Object({ [key]: listOf(item) }), item])

export const serviceAnswer = component('HashmapService', {
  service_id: uuid,
  name: text('dns.queries'),
})
export const fieldAnswer = component('HashmapField', {
  field_id: uuid,
  service_id: uuid,
  name: text('zone_type'),
})
export const groupAnswer = component('HashmapGroup', { group_id: uuid, name: text('dns') })

const rule = {
  type: text('flat'),
  cost: text('0.5'),
  service_id: orNull(uuid),
  field_id: orNull(uuid),
  group_id: orNull(uuid),
  tenant_id: orNull(plainId),
  name: orNull(text('autumn')),
  description: orNull(text('New price')),
  start: orNull(bareSecond),
  end: orNull(bareSecond),
  created_at: bareSecond,
  created_by: orNull(plainId),
  updated_by: orNull(plainId),
}
export const ruleAnswers = {
  mappings: component('HashmapMapping', {
    mapping_id: uuid,
    value: orNull(text('PRIMARY')),
    ...rule,
  }),
  thresholds: component('HashmapThreshold', { threshold_id: uuid, level: text('50'), ...rule }),
}

export const moduleAnswer = component('RatingModuleV1', {
  module_id: text('hashmap'),
  description: text('HashMap rating module.'),
  enabled: flag,
  'hot-config': flag,
  priority: whole(1),
})

export const scriptAnswer = component('RatingScript', {
  script_id: uuid,
  name: text('policy'),
  checksum: text('fa2d757fbe545ca7501e3166383cf97589e56de0'),
  description: orNull(text('New policy')),
  start: orNull(bareSecond),
  end: orNull(bareSecond),
  data: Type.Optional(text('x = 2')),
})

export const collectorMappingAnswer = Type.Object({
  service: text('cpu'),
  collector: text('gnocchi'),
})
export const collectorStateAnswer = Type.Object({ name: text('dns'), enabled: flag })

const described = { unit: text('Mquery'), metadata: listOf(text('tier')) }
export const metricAnswer = (idName: string) =>
  Type.Object({ [idName]: text('dns.queries'), ...described })
export const configAnswer = Type.Object({
  metrics: Type.Record(
    Type.String(),
    Type.Object({
      ...described,
      description: text('Millions of answered queries'),
      groupby: listOf(text('transport')),
    }),
  ),
})

export const tenantsAnswer = listOf(plainId)
export const typesAnswer = listOf(text('flat'))

export const summaryAnswer = Type.Object({
  summary: objectsWith({
    begin: bareSecond,
    end: bareSecond,
    tenant_id: text('ALL'),
    res_type: text('ALL'),
    rate: text('2.20001'),
  }),
})

export const dataframesAnswer = Type.Object({
  dataframes: objectsWith({
    begin: bareSecond,
    end: bareSecond,
    tenant_id: plainId,
    resources: objectsWith({
      service: text('dns.queries'),
      desc: anything({ zone: 'example.com.' }),
      volume: text('2'),
      rating: text('0.000004'),
    }),
  }),
})
