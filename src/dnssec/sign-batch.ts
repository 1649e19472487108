import { createPrivateKey } from 'node:crypto'
import { signWith } from './key.ts'

/** What a thread signs. */
export type SigningBatch = {
  /** PKCS#8 in DER. */
  readonly privateKey: Uint8Array
  readonly data: readonly Uint8Array[]
}

/** Signs each piece of data. */
export function signBatch({ privateKey, data }: SigningBatch): Uint8Array[] {
  const key = createPrivateKey({ key: Buffer.from(privateKey), format: 'der', type: 'pkcs8' })
  return data.map(octets => new Uint8Array(signWith(key, octets)))
}
