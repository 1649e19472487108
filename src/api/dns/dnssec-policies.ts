import { Type } from 'typebox'
import { denials } from '../../model/dnssec-policy.ts'
import type { DnssecPolicies } from '../../service/dnssec/policies.ts'
import { listOf, oneOf, orNull, text, whole } from '../openapi/fields.ts'
import type { Route } from '../route.ts'
import { adminRoutes } from './admin-routes.ts'
import { adminRowAnswer } from './answers.ts'
import { descriptionField } from './field-schemas.ts'

const days = Type.Union([Type.Integer({ minimum: 1, maximum: 3650 }), Type.Null()])
const optional = {
  description: descriptionField,
  keys: Type.Enum(['CSK', 'KSK+ZSK']),
  algorithm: Type.Enum([8, 13, 15]),
  ksk_lifetime_days: days,
  zsk_lifetime_days: days,
  denial: Type.Enum([...denials]),
  ds_digests: Type.Array(Type.Enum([2, 4]), { minItems: 1, maxItems: 2, uniqueItems: true }),
}

const answerFields = {
  name: text('split'),
  description: orNull(text('')),
  keys: oneOf('CSK', 'KSK+ZSK'),
  algorithm: whole(13),
  ksk_lifetime_days: orNull(whole(365)),
  zsk_lifetime_days: orNull(whole(30)),
  denial: oneOf(...denials),
  ds_digests: listOf(whole(2)),
}

/** What keys zones have; `default` and `ed25519` are built in, and in no list. */
export function dnssecPolicyRoutes(rows: DnssecPolicies): readonly Route[] {
  return adminRoutes({
    rows,
    plural: 'dnssec_policies',
    idName: 'policy_id',
    rule: 'manage_dnssec_policies',
    readRule: 'find_dnssec_policies',
    called: 'a DNSSEC policy',
    required: { name: Type.String({ minLength: 1, maxLength: 80 }) },
    optional,
    title: 'dnssec_policy',
    examples: {
      draft: { name: 'split', keys: 'KSK+ZSK', zsk_lifetime_days: 30 },
      changes: { zsk_lifetime_days: 60 },
    },
    draftFromBody: body => ({
      name: body.name,
      description: body.description ?? null,
      keys: body.keys ?? 'CSK',
      algorithm: body.algorithm ?? 13,
      kskLifetimeDays: body.ksk_lifetime_days ?? null,
      zskLifetimeDays: body.zsk_lifetime_days ?? null,
      denial: body.denial ?? 'NSEC',
      dsDigests: body.ds_digests ?? [2],
    }),
    changesFromBody: body => ({
      name: body.name,
      description: body.description,
      keys: body.keys,
      algorithm: body.algorithm,
      kskLifetimeDays: body.ksk_lifetime_days,
      zskLifetimeDays: body.zsk_lifetime_days,
      denial: body.denial,
      dsDigests: body.ds_digests,
    }),
    answer: adminRowAnswer('DnssecPolicy', answerFields),
    refusals: {
      missing: 'dnssec_policy_not_found',
      taken: ['duplicate_dnssec_policy'],
      inUse: 'conflict',
    },
    fieldsOf: policy => ({
      name: policy.name,
      description: policy.description,
      keys: policy.keys,
      algorithm: policy.algorithm,
      ksk_lifetime_days: policy.kskLifetimeDays,
      zsk_lifetime_days: policy.zskLifetimeDays,
      denial: policy.denial ?? 'NSEC',
      ds_digests: policy.dsDigests,
    }),
    sortValues: { name: row => row.name },
    filterValues: { name: row => [row.name] },
  })
}
