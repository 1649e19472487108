import { updatedRow } from '../../model/stamped.ts'
import type { Transaction } from '../../store/store.ts'

/** Deletes the mappings and thresholds of a parent or a group. */
export function deleteRulesOf(
  tx: Transaction,
  { index, key }: { readonly index: 'byParent' | 'byGroup'; readonly key: string },
): void {
  for (const { id } of [...tx.list('hashmapMappings', index, key)]) tx.delete('hashmapMappings', id)
  for (const { id } of [...tx.list('hashmapThresholds', index, key)])
    tx.delete('hashmapThresholds', id)
}

/** Removes the mappings and thresholds of a group from the group. */
export function releaseRulesOf(tx: Transaction, groupId: string): void {
  for (const row of [...tx.list('hashmapMappings', 'byGroup', groupId)])
    tx.put('hashmapMappings', updatedRow(tx, row, { groupId: null }))
  for (const row of [...tx.list('hashmapThresholds', 'byGroup', groupId)])
    tx.put('hashmapThresholds', updatedRow(tx, row, { groupId: null }))
}
