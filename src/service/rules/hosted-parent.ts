import { isWrittenElsewhere, type Zone } from '../../model/zone.ts'
import type { StoreReader, Transaction } from '../../store/store.ts'
import { findRecordsetOf } from './find-recordset.ts'
import { advanceZone, keepManaged } from './zone-rows.ts'
import { findParentZone } from './zone-tree.ts'

/** The parent zone on this server that delegates a zone and belongs to the same project; undefined where the parent
 *  is elsewhere. */
export function findHostedParent(reader: StoreReader, child: Zone): Zone | undefined {
  const parent = findParentZone(reader, child)
  if (parent === undefined || parent.projectId !== child.projectId) return undefined
  if (isWrittenElsewhere(parent) || parent.isImporting === true) return undefined
  return findRecordsetOf(reader, parent, { name: child.name, type: 'NS' }) && parent
}

/** Whether the parent of a zone has a DS for it; undefined where the parent is elsewhere. */
export function hasHostedDs(reader: StoreReader, child: Zone): boolean | undefined {
  const parent = findHostedParent(reader, child)
  return parent && findRecordsetOf(reader, parent, { name: child.name, type: 'DS' }) !== undefined
}

/** Puts the DS of a child into its parent, or removes them from it. */
export function putHostedDs(
  tx: Transaction,
  {
    parent,
    child,
    records,
  }: { readonly parent: Zone; readonly child: Zone; readonly records: readonly string[] },
): void {
  if (keepManaged(tx, parent, { name: child.name, type: 'DS', records })) advanceZone(tx, parent)
}
