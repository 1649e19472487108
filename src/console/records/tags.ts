/** An attribute of a zone without a meaning to the server: a label set by its owner to find zones. */
export type Tag = { readonly name: string; readonly value: string }

/** The attributes that have a meaning to the server. */
const ownAttributes: readonly string[] = [
  'allow_transfer',
  'transfer_key',
  'catalog',
  'catalog_group',
  'catalog_coo',
  'pool_id',
]

type Attributes = Readonly<Record<string, string>>

/** The tags of a zone, by name. */
export function tagsOf(attributes: Attributes): readonly Tag[] {
  return Object.entries(attributes)
    .filter(([name]) => !ownAttributes.includes(name))
    .map(([name, value]) => ({ name, value }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** A tag as it is shown and typed. */
export function tagText({ name, value }: Tag): string {
  return value === '' ? name : `${name}: ${value}`
}

/** The filter of lists for this tag. */
export function tagFilter({ name, value }: Tag): string {
  return `${name}:${value}`
}

/** Reads typed tags, one per line, and returns the changes of the attributes: null removes one. */
export function attributesTyped(
  text: string,
  before: Attributes,
): Readonly<Record<string, string | null>> {
  const gone = tagsOf(before).map(({ name }) => [name, null] as const)
  const typed = text.split('\n').flatMap(line => {
    const [, name = '', value = ''] = /^([^:]*):?(.*)$/.exec(line) ?? []
    return name.trim() === '' ? [] : [[name.trim(), value.trim()] as const]
  })
  return Object.fromEntries([...gone, ...typed])
}
