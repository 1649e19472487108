import { type Static, Type } from 'typebox'
import { absoluteRecordsetName } from '../../model/recordset-name.ts'
import { type UpdateRule, updateMatches } from '../../model/update-policy.ts'
import type { UpdatePolicies } from '../../service/changes/update-policies.ts'
import type { Recordsets } from '../../service/recordsets/recordsets.ts'
import { closed, requestBody } from '../openapi/fields.ts'
import { type Route, route } from '../route.ts'
import { updatePolicyAnswer } from './answers.ts'

const maxRules = 100

const ruleSchema = closed({
  key: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 254 })),
  addresses: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 32 })),
  match: Type.Enum([...updateMatches]),
  name: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 254 })),
  types: Type.Optional(Type.Array(Type.String({ maxLength: 20 }), { maxItems: 100 })),
})

/** Body of `PUT /zones/<id>/update_policy`. */
const updatePolicySchema = requestBody(
  'update_policy',
  { rules: Type.Array(ruleSchema, { maxItems: maxRules }) },
  {
    rules: [
      {
        key: 'host.example.com.',
        match: 'name',
        name: '_acme-challenge.example.com.',
        types: ['TXT'],
      },
    ],
  },
)

/** Who may change a zone by dynamic update. */
export function updatePolicyRoutes({
  updatePolicies,
  recordsets,
}: {
  readonly updatePolicies: UpdatePolicies
  readonly recordsets: Recordsets
}): readonly Route[] {
  const path = '/zones/:zone_id/update_policy'
  return [
    route(`GET ${path}`, {
      rule: 'get_zone',
      summary: 'Shows who may change a zone by dynamic update',
      answers: { 200: updatePolicyAnswer },
      refusals: ['zone_not_found', 'forbidden'],
      respond(context) {
        const rules = updatePolicies.get(context.caller, context.id('zone_id'))
        return { rules: rules.map(ruleView) }
      },
    }),
    route(`PUT ${path}`, {
      rule: 'update_zone',
      summary: 'Says who may change a zone by dynamic update',
      answers: { 200: updatePolicyAnswer },
      refusals: ['zone_not_found', 'forbidden', 'bad_request', 'invalid_recordset_location'],
      bodySchema: updatePolicySchema,
      async respond(context) {
        const { caller, body } = context
        const zoneId = context.id('zone_id')
        const { name: zoneName } = recordsets.zoneOf(caller, zoneId)
        const given = body.rules.map(rule => ruleOf(rule, zoneName))
        const rules = await updatePolicies.set(caller, zoneId, given)
        return { rules: rules.map(ruleView) }
      },
    }),
  ]
}

function ruleOf(rule: Static<typeof ruleSchema>, zoneName: string): UpdateRule {
  const { key = null, addresses = [], match, name = null, types = [] } = rule
  return {
    keyName: key,
    addresses,
    match,
    name: name === null ? null : absoluteRecordsetName(name, zoneName),
    types: types.map(type => type.toUpperCase()),
  }
}

/** A rule as the API shows it. */
export function ruleView({ keyName, addresses, match, name, types }: UpdateRule): object {
  return { key: keyName, addresses, match, name, types }
}
