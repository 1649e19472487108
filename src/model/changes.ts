/** What is to change of a row; undefined leaves as it is. */
export type Changes<D> = { readonly [K in keyof D]?: D[K] | undefined }

/** Only what is to change. */
export function definedOf<D extends object>(changes: Changes<D>): Partial<D> {
  const defined = Object.entries(changes).filter(([, value]) => value !== undefined)
  return Object.fromEntries(defined) as Partial<D>
}
