/** The attributes of a data point. In canonical key order (`canonicalAttributes`), so equal
 *  attributes have equal JSON. Look values up with `attributeOf`: keys come from outside. */
export type Attributes = Readonly<Record<string, string>>

/** Copies attributes into canonical order. A key like `__proto__` stays an ordinary one. */
export function canonicalAttributes(attributes: Readonly<Record<string, string>>): Attributes {
  const keys = Object.keys(attributes)
  if (keys.every((key, i) => i === 0 || (keys[i - 1] ?? '') < key)) return attributes
  return Object.fromEntries(keys.sort().map(key => [key, attributes[key] ?? '']))
}

/** The value of an attribute; undefined where there is none. */
export function attributeOf(attributes: Attributes, key: string): string | undefined {
  return Object.hasOwn(attributes, key) ? attributes[key] : undefined
}
