import type { FieldError } from '../errors.ts'
import { quote } from './quote.ts'
import type { Recordset } from './recordset.ts'
import type { Zone, ZoneType } from './zone.ts'
import { zoneNameError } from './zone-name.ts'

// Catalog zones (RFC 9432): a zone that lists other zones, which its secondaries then serve as well. Version 2, with
// the properties `group` and `coo`.

/** The attribute that makes a zone a catalog. A producer lists the zones of its pool; a consumer is a SECONDARY whose list
 *  makes zones of its project. */
export const catalogAttribute = 'catalog'
/** The attributes of a zone that its catalog publishes: its group, and the catalog that is to own it next. */
export const catalogGroupAttribute = 'catalog_group'
export const catalogOwnerAttribute = 'catalog_coo'

const roles = { producer: 'PRIMARY', consumer: 'SECONDARY' } as const satisfies Record<
  string,
  ZoneType
>

type CatalogRole = keyof typeof roles

/** The role of a zone as a catalog; undefined where it is none. */
export function catalogRoleOf({ attributes }: Pick<Zone, 'attributes'>): CatalogRole | undefined {
  const role = attributes[catalogAttribute]
  return role === 'producer' || role === 'consumer' ? role : undefined
}

/** Checks the catalog attribute of a new zone. */
export function catalogErrors({
  type,
  attributes,
}: Pick<Zone, 'type' | 'attributes'>): FieldError[] {
  const given = attributes[catalogAttribute]
  if (given === undefined) return []
  const role = catalogRoleOf({ attributes })
  if (role !== undefined && roles[role] === type) return []
  const message = `${quote(given)} is not 'producer' of a PRIMARY or 'consumer' of a SECONDARY zone`
  return [{ path: ['attributes', catalogAttribute], message, validator: 'enum' }]
}

/** Checks the attributes of a zone for the catalog that lists it. */
export function catalogMemberErrors(attributes: Zone['attributes']): FieldError[] {
  const { [catalogGroupAttribute]: group = '', [catalogOwnerAttribute]: coo = '' } = attributes
  const errors: FieldError[] = []
  if (!/^[\x20-\x7e]*$/.test(group)) {
    const message = `${quote(group)} is not printable ASCII`
    errors.push({ path: ['attributes', catalogGroupAttribute], message, validator: 'format' })
  }
  if (coo !== '' && zoneNameError(coo) !== undefined) {
    const message = `${quote(coo)} is not the name of a zone`
    errors.push({ path: ['attributes', catalogOwnerAttribute], message, validator: 'format' })
  }
  return errors
}

/** One zone in a catalog. */
export type CatalogMember = {
  /** Unique within its catalog. The same name under another label is another zone. */
  readonly label: string
  /** Absolute. */
  readonly name: string
  readonly group?: string
  /** The catalog that is to own it next. */
  readonly coo?: string
}

type CatalogRecordset = Pick<Recordset, 'name' | 'type' | 'records'>

/** The recordset that marks a zone as a catalog of the supported version. */
export function versionRecordset(catalog: string): CatalogRecordset {
  return { name: `version.${catalog}`, type: 'TXT', records: ['"2"'] }
}

/** All recordsets that a member with this label may have; those that it lacks have no records. */
export function memberRecordsets(
  catalog: string,
  label: string,
  member: CatalogMember | undefined,
): readonly CatalogRecordset[] {
  const owner = `${label}.zones.${catalog}`
  const { name, group, coo } = member ?? {}
  return [
    { name: owner, type: 'PTR', records: listOf(name) },
    { name: `group.${owner}`, type: 'TXT', records: listOf(group && quoted(group)) },
    { name: `coo.${owner}`, type: 'PTR', records: listOf(coo) },
  ]
}

/** The member's label of a recordset below `zones`; undefined for any other recordset. */
export function labelIn(catalog: string, name: string): string | undefined {
  const suffix = `.zones.${catalog}`.toLowerCase()
  const lowerName = name.toLowerCase()
  if (!lowerName.endsWith(suffix)) return undefined
  return lowerName.slice(0, -suffix.length).split('.').at(-1)
}

/** The members of a catalog, or why it cannot be used. */
type CatalogContents =
  | { readonly kind: 'read'; readonly members: readonly CatalogMember[] }
  | { readonly kind: 'broken'; readonly reason: string }

/** Reads a stored catalog. RFC 9432 section 4: an unknown version or a broken catalog changes nothing. */
export class CatalogReader {
  readonly #catalog: string
  readonly #records = new Map<string, readonly string[]>()

  /** @param catalog its name */
  constructor(catalog: string) {
    this.#catalog = catalog.toLowerCase()
  }

  add({ name, type, records }: CatalogRecordset): void {
    if (type === 'PTR' || type === 'TXT')
      this.#records.set(`${type} ${name.toLowerCase()}`, records)
  }

  read(): CatalogContents {
    const version = this.#records.get(`TXT version.${this.#catalog}`)
    if (version?.join() !== '"2"') return broken(`its version is ${version?.join() ?? 'missing'}`)
    const suffix = `.zones.${this.#catalog}`
    const members = new Map<string, CatalogMember>()
    for (const [key, records] of this.#records) {
      const label =
        key.startsWith('PTR ') && key.endsWith(suffix) ? key.slice(4, -suffix.length) : ''
      if (label === '' || label.includes('.')) continue
      const [name = ''] = records
      if (records.length > 1) return broken(`${label} has ${records.length} zones`)
      if (members.has(name.toLowerCase())) return broken(`${name} is listed twice`)
      const owner = `${label}${suffix}`
      const group = unquoted(this.#only(`TXT group.${owner}`))
      const coo = this.#only(`PTR coo.${owner}`)
      const properties = {
        ...(group !== undefined && { group }),
        ...(coo !== undefined && { coo }),
      }
      members.set(name.toLowerCase(), { label, name, ...properties })
    }
    return { kind: 'read', members: [...members.values()] }
  }

  /** A property with several values is broken and ignored. */
  #only(key: string): string | undefined {
    const records = this.#records.get(key) ?? []
    return records.length === 1 ? records[0] : undefined
  }
}

function broken(reason: string): CatalogContents {
  return { kind: 'broken', reason: `the catalog is not in order: ${reason}` }
}

function listOf(record: string | undefined): readonly string[] {
  return record === undefined ? [] : [record]
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}

/** A single string without escapes other than of quotes; no other value is taken as a group. */
function unquoted(record: string | undefined): string | undefined {
  const [, text] = /^"((?:[^"\\]|\\["\\])*)"$/.exec(record ?? '') ?? []
  return text?.replaceAll(/\\(.)/g, '$1')
}
