import { type PeerProcess, startPeerProcess } from './peer-process.ts'
import { type PeerKey, type PeerName, peerRecipe } from './peer-recipes.ts'

// Other name servers as secondaries of one zone, which they request with TSIG.

export type SecondaryOf = {
  readonly name: PeerName
  readonly apex: string
  readonly primary: { readonly host: string; readonly port: number }
  readonly key: PeerKey
}

/** Starts a secondary that transfers its zone to any client at 127.0.0.1, and resolves once `isReady` is true. */
export function startSecondary(
  { name, apex, primary, key }: SecondaryOf,
  isReady: (port: number) => Promise<boolean>,
): Promise<PeerProcess> {
  const recipe = peerRecipe(name, { zones: [{ apex }], primary, key })
  return startPeerProcess({ name, recipe, isReady })
}
