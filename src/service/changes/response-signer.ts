import type { Hmac } from '../../dns/tsig-mac.ts'
import { TsigSigner } from '../../dns/tsig-signer.ts'
import { findTsig } from '../../dns/tsig-verifier.ts'
import { tsigSecretOf } from '../../model/tsig-secret.ts'
import type { StoreReader } from '../../store/store.ts'

/** The signer of the response to a request that another thread has verified; undefined where the request is not
 *  signed, or its key has been deleted since. */
export function responseSigner(
  reader: StoreReader,
  { octets, keyId }: { readonly octets: Uint8Array; readonly keyId: string | undefined },
  hmac: Hmac,
): TsigSigner | undefined {
  const row = keyId === undefined ? undefined : reader.get('tsigKeys', keyId)
  const secret = row && tsigSecretOf(row)
  const mac = secret && findTsig(octets)?.tsig.mac
  return mac && new TsigSigner(secret, hmac, mac)
}
