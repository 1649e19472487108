import { type PeerProcess, startPeerProcess } from './peer-process.ts'
import { type PeerKey, type PeerName, peerRecipe } from './peer-recipes.ts'

// Other name servers as secondaries of one zone, which they ask for signed with a key.

export type SecondaryOf = {
  readonly name: PeerName
  readonly apex: string
  readonly primary: { readonly host: string; readonly port: number }
  readonly key: PeerKey
}

/** Starts a secondary that gives its zone to anybody at 127.0.0.1, and resolves once `isReady` says so. */
export function startSecondary(
  { name, apex, primary, key }: SecondaryOf,
  isReady: (port: number) => Promise<boolean>,
): Promise<PeerProcess> {
  const recipe = peerRecipe(name, { zones: [{ apex }], primary, key })
  return startPeerProcess({ name, recipe, isReady })
}
