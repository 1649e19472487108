import { Type } from 'typebox'
import { requireFound } from '../../errors.ts'
import { type TsigKey, tsigAlgorithms } from '../../model/tsig-key.ts'
import { withFinalDot } from '../../model/zone-name.ts'
import type { DefaultPoolKeys } from '../../service/pools/default-pool-keys.ts'
import { tsigKeyFields } from '../dns/tsig-keys.ts'
import { component, partly } from '../openapi/fields.ts'
import { type PublicContext, type Route, route } from '../route.ts'
import { tsigKeyAnswer, tsigKeysAnswer } from './answers.ts'
import { serverPath } from './zones.view.ts'

// TSIG keys of the default pool. A key's id is its name.

const keysPath = `${serverPath}/tsigkeys`
const keyPath = `${keysPath}/:tsigkey_id`

const fields = {
  name: tsigKeyFields.name,
  algorithm: Type.Enum([...tsigAlgorithms]),
  key: tsigKeyFields.secret,
}
const createSchema = component('TSIG key', fields, {
  name: 'secondaries',
  algorithm: 'hmac-sha256',
  key: 'c2VjcmV0',
})
const changeSchema = component('TSIG key', partly(fields), { key: 'bmV3' })

function keyView({ name, algorithm, secret }: TsigKey, { isListed = false } = {}) {
  const id = withFinalDot(name)
  const plain = id.slice(0, -1)
  return { algorithm, id, key: isListed ? '' : secret, name: plain, type: 'TSIGKey' }
}

/** @throws ApiError tsigkey_not_found */
function keyNamed(
  keys: DefaultPoolKeys,
  { parameters: { tsigkey_id: id = '' } }: PublicContext,
): TsigKey {
  const plain = (name: string) => name.replace(/\.$/, '').toLowerCase()
  const found = keys.list().find(({ name }) => plain(name) === plain(id))
  return requireFound(found, 'tsigkey_not_found')
}

/** The keys that the default pool shares with other servers. */
export function tsigKeyRoutes(keys: DefaultPoolKeys): readonly Route[] {
  const rule = 'manage_tsigkeys'
  return [
    route(`GET ${keysPath}`, {
      rule,
      summary: 'Lists TSIG keys, without their secrets',
      answers: { 200: tsigKeysAnswer },
      respond: () => keys.list().map(key => keyView(key, { isListed: true })),
    }),
    route(`POST ${keysPath}`, {
      rule,
      summary: 'Creates a TSIG key',
      answers: { 201: tsigKeyAnswer },
      refusals: ['duplicate_tsigkey'],
      bodySchema: createSchema,
      async respond({ body: { name, algorithm, key: secret } }) {
        return keyView(await keys.create({ name: name.replace(/\.$/, ''), algorithm, secret }))
      },
    }),
    route(`GET ${keyPath}`, {
      rule,
      summary: 'Shows a TSIG key with its secret',
      answers: { 200: tsigKeyAnswer },
      refusals: ['tsigkey_not_found'],
      respond: context => keyView(keyNamed(keys, context)),
    }),
    route(`PUT ${keyPath}`, {
      rule,
      summary: 'Changes a TSIG key',
      answers: { 200: tsigKeyAnswer },
      refusals: ['tsigkey_not_found', 'duplicate_tsigkey'],
      bodySchema: changeSchema,
      async respond(context) {
        const { id } = keyNamed(keys, context)
        const { name, algorithm, key: secret } = context.body
        return keyView(await keys.update(id, { name: name?.replace(/\.$/, ''), algorithm, secret }))
      },
    }),
    route(`DELETE ${keyPath}`, {
      rule,
      summary: 'Deletes a TSIG key',
      answers: { 204: null },
      refusals: ['tsigkey_not_found'],
      respond: context => keys.delete(keyNamed(keys, context).id),
    }),
  ]
}
