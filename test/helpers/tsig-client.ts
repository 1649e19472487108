import { parseName } from '../../src/dns/name.ts'
import { type TsigSecret, tsigAlgorithmNames } from '../../src/dns/tsig-mac.ts'
import { type Signing, signed, TsigSigner } from '../../src/dns/tsig-signer.ts'
import { hmac } from '../../src/transport/hmac.ts'

// A client that shares a key with the server.

export const unixSeconds = 1_800_000_000

export function someKey(changes: Partial<TsigSecret> = {}): TsigSecret {
  return {
    id: 'a-key',
    name: parseName('key.example.'),
    algorithm: tsigAlgorithmNames['hmac-sha256'],
    secret: new TextEncoder().encode('a secret that two of us know'),
    ...changes,
  }
}

/** Signs a request, and returns it with the signer, whose `mac` the responses are signed over. */
export function signedRequest(
  message: Uint8Array,
  key: TsigSecret = someKey(),
  signing: Signing = { nowSeconds: unixSeconds },
): { readonly request: Uint8Array; readonly signer: TsigSigner } {
  const signer = new TsigSigner(key, hmac)
  return { request: signed(message, signer, signing), signer }
}
