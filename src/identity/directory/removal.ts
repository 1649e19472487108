import { ApiError } from '../../errors.ts'
import type { Project, User } from '../../model/identity.ts'
import { updatedRow } from '../../model/stamped.ts'
import type { Transaction } from '../../store/store.ts'

// Deleting a row also deletes everything that has no meaning without it.

/** Deletes a project.
 *  @throws ApiError conflict: it owns zones, which would be nobody's */
export function removeProject(tx: Transaction, { id, name }: Project): void {
  const zoneCount = tx.count('zones', 'byProject', id)
  if (zoneCount > 0) {
    const zones = zoneCount === 1 ? '1 zone' : `${zoneCount} zones`
    const advice = 'delete them or transfer them to another project first'
    throw new ApiError('conflict', `The project ${name} still owns ${zones}: ${advice}`)
  }
  for (const row of [...tx.list('roleAssignments', 'byProject', id)])
    tx.delete('roleAssignments', row.id)
  for (const row of [...tx.list('applicationCredentials', 'byProject', id)])
    tx.delete('applicationCredentials', row.id)
  for (const user of [...tx.list('users', 'byDefaultProject', id)])
    tx.put('users', updatedRow(tx, user, { defaultProjectId: null }))
  for (const budget of [...tx.list('budgets', 'byProject', id)]) {
    for (const row of [...tx.list('budgetCrossings', 'byBudget', budget.id)])
      tx.delete('budgetCrossings', row.id)
    tx.delete('budgets', budget.id)
  }
  tx.delete('projects', id)
}

/** Deletes a user. */
export function removeUser(tx: Transaction, { id }: User): void {
  for (const row of [...tx.list('roleAssignments', 'byUser', id)])
    tx.delete('roleAssignments', row.id)
  for (const row of [...tx.list('applicationCredentials', 'byUser', id)])
    tx.delete('applicationCredentials', row.id)
  tx.delete('users', id)
}
