import { createPublicKey, verify } from 'node:crypto'
import t from 'tap'
import { algorithms, newPrivateKey, ZoneKey } from '../../src/dnssec/key.ts'
import { depth } from '../helpers/depth.ts'

t.test('a signature has the form of its algorithm, however small its numbers are', async t => {
  for (const algorithm of [algorithms.ecdsaP256, algorithms.ed25519]) {
    const key = new ZoneKey(newPrivateKey(algorithm))
    const publicKey = createPublicKey(key.privateKey)
    let smallCount = 0
    let goodCount = 0
    const count = 2000 * depth
    for (let i = 0; i < count; i += 1) {
      const data = Buffer.from(`${i}`)
      const signature = key.sign(data)
      if (signature[0] === 0 || signature[32] === 0) smallCount += 1
      const isEd = algorithm === algorithms.ed25519
      const own = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
      if (signature.length === 64 && verify(isEd ? null : 'sha256', data, own, signature))
        goodCount += 1
    }
    t.equal(goodCount, count)
    // Less often than once in a million runs there is none.
    t.ok(smallCount > 0, `${smallCount} with a 0 in front`)
  }
})
