/** Changes of a row; an undefined field stays as it is. */
export type Changes<D> = { readonly [K in keyof D]?: D[K] | undefined }

/** The fields that change, without the undefined ones. */
export function definedOf<D extends object>(changes: Changes<D>): Partial<D> {
  const defined = Object.entries(changes).filter(([, value]) => value !== undefined)
  return Object.fromEntries(defined) as Partial<D>
}
