import { Type } from 'typebox'
import { builtInPolicies } from '../../model/dnssec-policy.ts'
import type { Dnssec } from '../../service/dnssec/dnssec.ts'
import { isFlagSet } from '../flag.ts'
import { requestBody } from '../openapi/fields.ts'
import { canonicalId } from '../parameters.ts'
import { type Route, route } from '../route.ts'
import { dnssecAnswer } from './dnssec.answers.ts'
import { dnssecView } from './dnssec.view.ts'
import { uuidField } from './field-schemas.ts'

/** Body of `PUT /zones/<id>/dnssec`. */
const dnssecSchema = requestBody(
  'dnssec',
  {
    policy_id: Type.Optional(
      Type.Union([Type.Enum(builtInPolicies.map(({ id }) => id)), uuidField]),
    ),
    parent_servers: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { maxItems: 20 }),
    ),
    signals_children: Type.Optional(Type.Boolean()),
  },
  { policy_id: 'default' },
)

const rollSchema = requestBody(
  'dnssec_roll',
  { role: Type.Enum(['CSK', 'KSK', 'ZSK']) },
  { role: 'CSK' },
)

const confirmDsSchema = requestBody(
  'dnssec_confirm_ds',
  { key_id: uuidField, present: Type.Boolean() },
  { key_id: 'a86dba58-0043-4cc6-a1bb-69d5e86f3ca3', present: true },
)

const path = '/zones/:zone_id/dnssec'

/** How zones are signed. */
export function dnssecRoutes({ dnssec }: { readonly dnssec: Dnssec }): readonly Route[] {
  return [
    route(`GET ${path}`, {
      rule: 'get_zone',
      summary: 'Shows how a zone is signed, and what it waits for',
      answers: { 200: dnssecAnswer },
      refusals: ['zone_not_found'],
      respond: context => dnssecView(dnssec.get(context.caller, context.id('zone_id'))),
    }),
    route(`PUT ${path}`, {
      rule: 'update_zone',
      summary: 'Has a zone signed, or signed by another policy',
      allowsEmptyBody: true,
      answers: { 202: dnssecAnswer },
      refusals: [
        'zone_not_found',
        'forbidden',
        'bad_request',
        'dnssec_policy_not_found',
        'over_quota',
      ],
      bodySchema: dnssecSchema,
      async respond({ caller, id, body }) {
        const draft = {
          policyId: body.policy_id && canonicalId(body.policy_id),
          parentServers: body.parent_servers,
          signalsChildren: body.signals_children,
        }
        return dnssecView(await dnssec.enable(caller, id('zone_id'), draft))
      },
    }),
    route(`DELETE ${path}`, {
      rule: 'update_zone',
      summary: 'Has a zone go insecure: its DS first, then its signatures; with force at once',
      answers: { 202: dnssecAnswer, 204: null },
      refusals: ['zone_not_found', 'forbidden', 'bad_request'],
      async handler({ caller, id, query }) {
        const force = isFlagSet(query.get('force'))
        const state = await dnssec.disable(caller, id('zone_id'), force)
        return state === undefined ? { status: 204 } : { status: 202, body: dnssecView(state) }
      },
    }),
    ...taskRoutes(dnssec),
  ]
}

function taskRoutes(dnssec: Dnssec): readonly Route[] {
  const refusals = ['zone_not_found', 'forbidden', 'bad_request'] as const
  return [
    route(`POST ${path}/tasks/roll`, {
      rule: 'update_zone',
      summary: 'Replaces the keys of a role',
      answers: { 202: dnssecAnswer },
      refusals: [...refusals, 'over_quota'],
      bodySchema: rollSchema,
      respond: async ({ caller, id, body }) =>
        dnssecView(await dnssec.roll(caller, id('zone_id'), body.role)),
    }),
    route(`POST ${path}/tasks/sign`, {
      rule: 'update_zone',
      summary: 'Makes all signatures of a zone anew',
      answers: { 202: dnssecAnswer },
      refusals: [...refusals, 'over_quota'],
      respond: async ({ caller, id }) => dnssecView(await dnssec.sign(caller, id('zone_id'))),
    }),
    route(`POST ${path}/tasks/check_parent`, {
      rule: 'update_zone',
      summary: 'Asks the servers of the parent for the DS of a zone',
      answers: { 200: dnssecAnswer },
      refusals,
      respond: async ({ caller, id }) =>
        dnssecView(await dnssec.checkParent(caller, id('zone_id'))),
    }),
    route(`POST ${path}/tasks/confirm_ds`, {
      rule: 'update_zone',
      summary: 'Says that the parent has the DS of a key on all servers, or on none',
      answers: { 200: dnssecAnswer },
      refusals: [...refusals, 'dnssec_key_not_found'],
      bodySchema: confirmDsSchema,
      async respond({ caller, id, body }) {
        const confirmed = { keyId: canonicalId(body.key_id), isPresent: body.present }
        return dnssecView(await dnssec.confirmDs(caller, id('zone_id'), confirmed))
      },
    }),
  ]
}
