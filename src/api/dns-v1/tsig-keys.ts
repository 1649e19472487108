import type { TsigKey } from '../../model/tsig-key.ts'
import type { DefaultPoolKeys } from '../../service/pools/default-pool-keys.ts'
import { changeBody } from '../dns/read-only-fields.ts'
import { tsigKeyFields } from '../dns/tsig-keys.ts'
import { requestBody } from '../openapi/fields.ts'
import { type Route, route } from '../route.ts'
import { tsigKeyAnswer, tsigKeysAnswer } from './answers.ts'
import { emptiedRoute } from './emptied.ts'
import { groupUrl } from './group-url.ts'
import { idParameter } from './id-parameter.ts'

const { name, algorithm, secret } = tsigKeyFields
const fields = { name, algorithm, secret }
const example = { name: 'secondaries', algorithm: 'hmac-sha256', secret: 'c2VjcmV0' }

/** Body of `POST /tsigkeys`. */
export const tsigKeyCreateSchema = requestBody('tsigkey', fields, example)

/** Body of `PUT /tsigkeys/<id>`: what is left out stays, and the id is ignored. */
const tsigKeyPutSchema = changeBody('tsigkey', { fields, shown: tsigKeyAnswer, example }).schema

/** The secrets that the default pool shares with other servers. */
export function tsigKeyRoutes(keys: DefaultPoolKeys): readonly Route[] {
  return [
    route('GET /tsigkeys', {
      rule: 'manage_tsigkeys',
      summary: 'Lists TSIG keys of the default pool',
      answers: { 200: tsigKeysAnswer },
      respond: () => ({ tsigkeys: keys.list().map(tsigKeyView) }),
    }),
    route('POST /tsigkeys', {
      rule: 'manage_tsigkeys',
      summary: 'Creates a TSIG key of the default pool',
      answers: { 200: tsigKeyAnswer },
      refusals: ['duplicate_tsigkey'],
      bodySchema: tsigKeyCreateSchema,
      async handler(context) {
        const key = await keys.create(context.body)
        const headers = { location: `${groupUrl(context)}/tsigkeys/${key.id}` }
        return { status: 200, headers, body: tsigKeyView(key) }
      },
    }),
    route('GET /tsigkeys/:tsigkey_id', {
      rule: 'manage_tsigkeys',
      summary: 'Shows a TSIG key',
      answers: { 200: tsigKeyAnswer },
      refusals: ['tsigkey_not_found'],
      respond: context => tsigKeyView(keys.get(idParameter(context, 'tsigkey_id'))),
    }),
    route('PUT /tsigkeys/:tsigkey_id', {
      rule: 'manage_tsigkeys',
      summary: 'Changes a TSIG key',
      answers: { 200: tsigKeyAnswer },
      refusals: ['tsigkey_not_found', 'duplicate_tsigkey'],
      bodySchema: tsigKeyPutSchema,
      async respond(context) {
        const id = idParameter(context, 'tsigkey_id')
        const { name, algorithm, secret } = context.body
        return tsigKeyView(await keys.update(id, { name, algorithm, secret }))
      },
    }),
    emptiedRoute('DELETE /tsigkeys/:tsigkey_id', {
      rule: 'manage_tsigkeys',
      summary: 'Deletes a TSIG key',
      refusals: ['tsigkey_not_found'],
      run: context => keys.delete(idParameter(context, 'tsigkey_id')),
    }),
  ]
}

function tsigKeyView({ id, name, algorithm, secret }: TsigKey): object {
  return { id, name, algorithm, secret }
}
