/** Keys known by name (IANA Service Parameter Keys); any other is `keyNNNNN`. */
export const svcParamKeys = {
  mandatory: 0,
  alpn: 1,
  'no-default-alpn': 2,
  port: 3,
  ipv4hint: 4,
  ech: 5,
  ipv6hint: 6,
  dohpath: 7,
  ohttp: 8,
} as const

const keyByName = new Map<string, number>(Object.entries(svcParamKeys))
const nameByKey = new Map<number, string>(
  Object.entries(svcParamKeys).map(([name, key]) => [key, name]),
)
const genericKey = /^key(0|[1-9]\d{0,4})$/

/** Returns the number of `port` or `key3`; undefined where it is not a key. */
export function svcParamKey(name: string): number | undefined {
  const known = keyByName.get(name)
  if (known !== undefined) return known
  const generic = genericKey.exec(name)
  const key = Number(generic?.[1])
  return key <= 0xffff ? key : undefined
}

/** Returns `port` for 3, and `keyNNNNN` where there is no name. */
export function svcParamKeyName(key: number): string {
  return nameByKey.get(key) ?? `key${key}`
}

/** Whether the key is written without `=` (RFC 9540 section 4: "it has no value"). `no-default-alpn=` is common enough
 *  for other servers to read it. */
export function isBareKey(name: string): boolean {
  return name === 'ohttp'
}
