import { Type } from 'typebox'
import type { DnssecKeys } from '../../service/dnssec/dnssec-keys.ts'
import { listOf, requestBody, text } from '../openapi/fields.ts'
import { type Route, route } from '../route.ts'
import { dnssecKeyAnswer } from './dnssec.answers.ts'
import { keyView } from './dnssec.view.ts'

const importSchema = requestBody(
  'dnssec_key',
  {
    private_key: Type.String({ minLength: 1, maxLength: 8192 }),
    role: Type.Optional(Type.Enum(['CSK', 'KSK', 'ZSK'])),
  },
  {
    private_key: 'Private-key-format: v1.3\nAlgorithm: 15 (ED25519)\nPrivateKey: …\n',
    role: 'CSK',
  },
)

const path = '/zones/:zone_id/dnssec/keys'

/** Keys of zones, from elsewhere and for elsewhere. */
export function dnssecKeyRoutes(keys: DnssecKeys): readonly Route[] {
  return [
    route(`GET ${path}`, {
      rule: 'get_zone',
      summary: 'Lists the keys of a zone',
      answers: { 200: Type.Object({ keys: listOf(dnssecKeyAnswer) }) },
      refusals: ['zone_not_found'],
      respond: ({ caller, id }) => ({ keys: keys.list(caller, id('zone_id')).map(keyView) }),
    }),
    route(`POST ${path}`, {
      rule: 'manage_dnssec_keys',
      summary: 'Takes over a private key, in PEM or in BIND’s form',
      answers: { 201: dnssecKeyAnswer },
      refusals: ['zone_not_found', 'forbidden', 'bad_request', 'over_quota'],
      bodySchema: importSchema,
      async respond({ caller, id, body }) {
        const { private_key: text, role = 'CSK' } = body
        return keyView(await keys.import(caller, id('zone_id'), { text, role }))
      },
    }),
    route(`GET ${path}/:key_id`, {
      rule: 'get_zone',
      summary: 'Shows a key of a zone',
      answers: { 200: dnssecKeyAnswer },
      refusals: ['zone_not_found', 'dnssec_key_not_found'],
      respond: ({ caller, id }) => keyView(keys.get(caller, id('zone_id'), id('key_id'))),
    }),
    route(`DELETE ${path}/:key_id`, {
      rule: 'manage_dnssec_keys',
      summary: 'Deletes a key of a zone that is not signed',
      answers: { 204: null },
      refusals: ['zone_not_found', 'forbidden', 'bad_request', 'dnssec_key_not_found'],
      respond: ({ caller, id }) => keys.delete(caller, id('zone_id'), id('key_id')),
    }),
    route(`GET ${path}/:key_id/private`, {
      rule: 'export_dnssec_keys',
      summary: 'Exports the private part of a key',
      answers: {
        200: Type.Object({
          pem: text('-----BEGIN PRIVATE KEY-----'),
          bind: text('Private-key-format: v1.3'),
        }),
      },
      refusals: ['zone_not_found', 'forbidden', 'dnssec_key_not_found'],
      async handler({ caller, id }) {
        const body = keys.export(caller, id('zone_id'), id('key_id'))
        return { status: 200, headers: { 'cache-control': 'no-store' }, body }
      },
    }),
  ]
}
