/** Up to where a node has the log. */
export type Position = { readonly lsn: number; readonly link: Buffer }

/** The log is not the one that this node has followed. */
export class DivergedError extends Error {
  override readonly name = 'DivergedError'
}
