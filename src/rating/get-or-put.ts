/** Returns the value of a key; creates and stores it where there is none yet. */
export function getOrPut<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
