import type { Recordset } from '../../model/recordset.ts'
import type { Zone } from '../../model/zone.ts'
import { keyOf } from '../../store/indexes.ts'
import type { StoreReader } from '../../store/store.ts'

/** The recordset of an owner, in any case, and a type. */
export function findRecordsetOf(
  reader: StoreReader,
  zone: Pick<Zone, 'id'>,
  { name, type }: Pick<Recordset, 'name' | 'type'>,
): Recordset | undefined {
  return reader.find('recordsets', 'byNameAndType', keyOf(zone.id, name.toLowerCase(), type))
}

/** The recordset of a zone's own name and a type. */
export function findAtApex(
  reader: StoreReader,
  zone: Pick<Zone, 'id' | 'name'>,
  type: string,
): Recordset | undefined {
  return findRecordsetOf(reader, zone, { name: zone.name, type })
}
