import type { CollectionName, Collections } from '../../model/collections.ts'
import type { Store } from '../../store/store.ts'
import type { Findings } from './finding.ts'

/** A row that another one names by its id. */
type Reference<C extends CollectionName> = {
  readonly to: CollectionName
  /** Null where this row names none. */
  readonly idOf: (row: Collections[C]) => string | null
}

type References = { readonly [C in CollectionName]?: readonly Reference<C>[] }

/** References to rows that must exist as long as the rows that name them. Rows that may outlive what they name are
 *  not here: a recordset its share, a TSIG key its zone, an export or import its zone. */
const references: References = {
  zones: [{ to: 'pools', idOf: row => row.poolId }],
  recordsets: [{ to: 'zones', idOf: row => row.zoneId }],
  zoneShares: [{ to: 'zones', idOf: row => row.zoneId }],
  zoneTransferRequests: [{ to: 'zones', idOf: row => row.zoneId }],
  zoneTransferAccepts: [{ to: 'zones', idOf: row => row.zoneId }],
  expiringSignatures: [{ to: 'zones', idOf: row => row.id }],
  projects: [{ to: 'domains', idOf: row => row.domainId }],
  users: [{ to: 'domains', idOf: row => row.domainId }],
  roleAssignments: [
    { to: 'users', idOf: row => row.userId },
    { to: 'projects', idOf: row => row.projectId },
    { to: 'roles', idOf: row => row.roleId },
  ],
  applicationCredentials: [
    { to: 'users', idOf: row => row.userId },
    { to: 'projects', idOf: row => row.projectId },
  ],
  budgetCrossings: [{ to: 'budgets', idOf: row => row.budgetId }],
  hashmapFields: [{ to: 'hashmapServices', idOf: row => row.serviceId }],
  hashmapMappings: [
    { to: 'hashmapServices', idOf: row => row.serviceId },
    { to: 'hashmapFields', idOf: row => row.fieldId },
    { to: 'hashmapGroups', idOf: row => row.groupId },
  ],
  hashmapThresholds: [
    { to: 'hashmapServices', idOf: row => row.serviceId },
    { to: 'hashmapFields', idOf: row => row.fieldId },
    { to: 'hashmapGroups', idOf: row => row.groupId },
  ],
}

const collections = Object.keys(references) as readonly CollectionName[]

/** Finds rows that name a missing row, one step a row; returns the number of rows checked. Rows may change between
 *  two steps. */
export function* checkReferences(store: Store, findings: Findings): Generator<undefined, number> {
  let rowCount = 0
  for (const collection of collections) {
    for (const { id } of store.rows(collection)) {
      checkRow(store, { collection, id }, findings)
      rowCount += 1
      yield
    }
  }
  return rowCount
}

function checkRow<C extends CollectionName>(
  store: Store,
  { collection, id }: { readonly collection: C; readonly id: string },
  findings: Findings,
): void {
  const row = store.get(collection, id)
  if (row === undefined) return
  for (const { to, idOf } of (references[collection] ?? []) as readonly Reference<C>[]) {
    const named = idOf(row)
    if (named === null || store.get(to, named) !== undefined) continue
    // A zone that is being restored becomes visible when all of its recordsets are there.
    if (store.isChanging(named)) continue
    findings.add(
      'reference',
      { collection, id },
      `it names ${named} of ${to}, which does not exist`,
    )
  }
}
