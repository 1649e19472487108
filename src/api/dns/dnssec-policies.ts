import { type Static, Type } from 'typebox'
import { type DnssecPolicyDraft, denials } from '../../model/dnssec-policy.ts'
import type { DnssecPolicies } from '../../service/dnssec/policies.ts'
import { closed, listOf, oneOf, orNull, text, whole } from '../openapi/fields.ts'
import type { Route } from '../route.ts'
import { adminRoutes } from './admin-routes.ts'
import { adminRowAnswer } from './answers.ts'
import { descriptionField } from './field-schemas.ts'
import { commonReadOnlyFields, readOnlyFields } from './read-only-fields.ts'

const days = Type.Union([Type.Integer({ minimum: 1, maximum: 3650 }), Type.Null()])
const fields = {
  name: Type.String({ minLength: 1, maxLength: 80 }),
  description: descriptionField,
  keys: Type.Enum(['CSK', 'KSK+ZSK']),
  algorithm: Type.Enum([8, 13, 15]),
  ksk_lifetime_days: days,
  zsk_lifetime_days: days,
  denial: Type.Enum([...denials]),
  ds_digests: Type.Array(Type.Enum([2, 4]), { minItems: 1, maxItems: 2, uniqueItems: true }),
}
const { name, ...others } = fields

const createSchema = closed(
  { name, ...Type.Partial(Type.Object(others)).properties },
  {
    title: 'dnssec_policy',
    examples: [{ name: 'split', keys: 'KSK+ZSK', zsk_lifetime_days: 30 }],
  },
)

const patchSchema = closed(
  {
    ...Type.Partial(Type.Object(fields)).properties,
    ...readOnlyFields(commonReadOnlyFields),
  },
  { title: 'dnssec_policy', examples: [{ zsk_lifetime_days: 60 }] },
)

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
    createSchema,
    patchSchema,
    draftFromBody,
    changesFromBody,
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

function draftFromBody(body: Static<typeof createSchema>): DnssecPolicyDraft {
  return {
    name: body.name,
    description: body.description ?? null,
    keys: body.keys ?? 'CSK',
    algorithm: body.algorithm ?? 13,
    kskLifetimeDays: body.ksk_lifetime_days ?? null,
    zskLifetimeDays: body.zsk_lifetime_days ?? null,
    denial: body.denial ?? 'NSEC',
    dsDigests: body.ds_digests ?? [2],
  }
}

function changesFromBody(body: Static<typeof patchSchema>) {
  return {
    name: body.name,
    description: body.description,
    keys: body.keys,
    algorithm: body.algorithm,
    kskLifetimeDays: body.ksk_lifetime_days,
    zskLifetimeDays: body.zsk_lifetime_days,
    denial: body.denial,
    dsDigests: body.ds_digests,
  }
}
