import type { CollectionName, Collections } from '../../model/collections.ts'
import type { Store } from '../../store/store.ts'
import type { Findings } from './finding.ts'

/** By collection, the fields with the ids of other rows, and the collections of those. */
type References = {
  readonly [C in CollectionName]?: { readonly [F in keyof Collections[C]]?: CollectionName }
}

const ofHashmap = {
  serviceId: 'hashmapServices',
  fieldId: 'hashmapFields',
  groupId: 'hashmapGroups',
} as const

/** References to rows that must exist as long as the rows that name them. Rows that may outlive what they name are
 *  not here: a recordset its share, a TSIG key its zone, an export or import its zone. */
const references: References = {
  zones: { poolId: 'pools' },
  recordsets: { zoneId: 'zones' },
  zoneShares: { zoneId: 'zones' },
  zoneTransferRequests: { zoneId: 'zones' },
  zoneTransferAccepts: { zoneId: 'zones' },
  expiringSignatures: { id: 'zones' },
  projects: { domainId: 'domains' },
  users: { domainId: 'domains' },
  roleAssignments: { userId: 'users', projectId: 'projects', roleId: 'roles' },
  applicationCredentials: { userId: 'users', projectId: 'projects' },
  budgetCrossings: { budgetId: 'budgets' },
  hashmapFields: { serviceId: 'hashmapServices' },
  hashmapMappings: ofHashmap,
  hashmapThresholds: ofHashmap,
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
  const fields = Object.entries(references[collection] ?? {})
  for (const [field, to] of fields as [keyof Collections[C], CollectionName][]) {
    const named = row[field] as string | null
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
