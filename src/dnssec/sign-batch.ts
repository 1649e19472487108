import { createPrivateKey } from 'node:crypto'
import { signWith } from './key.ts'

/** What a thread signs. */
export type SigningBatch = {
  /** PKCS#8 in DER. */
  readonly privateKeys: readonly Uint8Array[]
  readonly data: readonly Uint8Array[]
  /** Which of the keys signs each piece of data. */
  readonly by: readonly number[]
}

/** Signs each piece of data. */
export function signBatch({ privateKeys, data, by }: SigningBatch): Uint8Array[] {
  const keys = privateKeys.map(key =>
    createPrivateKey({ key: Buffer.from(key), format: 'der', type: 'pkcs8' }),
  )
  return data.map((octets, i) => {
    const key = keys[by[i] ?? -1]
    if (key === undefined) throw new Error('there is no key to sign with')
    return new Uint8Array(signWith(key, octets))
  })
}
