import t from 'tap'
import { parseName } from '../../src/dns/name.ts'
import { tsigAlgorithmNames } from '../../src/dns/tsig-mac.ts'
import type { TsigKey } from '../../src/model/tsig-key.ts'
import { tsigSecretOf } from '../../src/model/tsig-secret.ts'

const key: TsigKey = {
  id: 'a-key',
  version: 1,
  createdAt: 0,
  updatedAt: null,
  name: 'Transfer Key',
  algorithm: 'hmac-md5',
  secret: 'AQID/w==',
  scope: 'POOL',
  resourceId: 'a-pool',
}

t.test('a key with its name and algorithm as they are on the wire', async t => {
  t.strictSame(tsigSecretOf(key), {
    id: key.id,
    name: parseName('transfer\\ key.'),
    algorithm: tsigAlgorithmNames['hmac-md5'],
    secret: Uint8Array.of(1, 2, 3, 255),
  })
})

t.test('a row is decoded once: signers keep what they make of the octets', async t => {
  t.equal(tsigSecretOf(key), tsigSecretOf(key))
  t.not(tsigSecretOf({ ...key }), tsigSecretOf(key))
})

t.test('a secret that is no base64 is nobody’s', async t => {
  for (const secret of ['', 'not base64!', 'ä'])
    t.equal(tsigSecretOf({ ...key, secret }), undefined)
})
