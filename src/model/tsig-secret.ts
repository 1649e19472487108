import { lowerCaseName, parseName } from '../dns/name.ts'
import { type TsigSecret, tsigAlgorithmNames } from '../dns/tsig-mac.ts'
import { type TsigKey, tsigWireText } from './tsig-key.ts'

/** A key in the form that signs messages; undefined where its secret is not base64, which other servers cannot share. */
export function tsigSecretOf({ id, name, algorithm, secret }: TsigKey): TsigSecret | undefined {
  const octets = Buffer.from(secret, 'base64')
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(secret) && octets.length > 0
  if (!isBase64) return undefined
  return {
    id,
    name: lowerCaseName(parseName(tsigWireText(name))),
    algorithm: tsigAlgorithmNames[algorithm],
    secret: new Uint8Array(octets),
  }
}
