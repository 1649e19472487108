import { lowerCaseName, parseName } from '../dns/name.ts'
import { type TsigSecret, tsigAlgorithmNames } from '../dns/tsig-mac.ts'
import { type TsigKey, tsigWireText } from './tsig-key.ts'

/** Of rows in use: a row never changes, and a signer keeps what it makes of the octets of a secret. */
const secretByRow = new WeakMap<TsigKey, TsigSecret>()

/** A key in the form that signs messages; undefined where its secret is not base64, which other servers cannot share. */
export function tsigSecretOf(row: TsigKey): TsigSecret | undefined {
  const known = secretByRow.get(row)
  if (known !== undefined) return known
  const secret = decoded(row)
  if (secret !== undefined) secretByRow.set(row, secret)
  return secret
}

function decoded({ id, name, algorithm, secret }: TsigKey): TsigSecret | undefined {
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
