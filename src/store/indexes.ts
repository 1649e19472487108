import { catalogRoleOf } from '../model/catalog.ts'
import type { CollectionName, Collections } from '../model/collections.ts'
import type { Recordset } from '../model/recordset.ts'
import { tsigNameKey } from '../model/tsig-key.ts'
import { isInUse, type Zone } from '../model/zone.ts'
import { enclosingNames } from '../model/zone-name.ts'
import type { SumDeclaration } from './sum-index.ts'

// Declares how each collection can be found. A unique key or group key of undefined leaves the row out of
// that index; a list of group keys (distinct) puts the row in several groups of it. A sum adds up a number of
// the rows with the same key. Adding an index is one line here.

type IndexTable = {
  [C in CollectionName]: {
    readonly unique: Record<string, (row: Collections[C]) => string | undefined>
    readonly groups: Record<string, (row: Collections[C]) => string | readonly string[] | undefined>
    /** Groups that are in order of a value; all others are in order of creation. */
    readonly orders?: Record<string, (row: Collections[C]) => string>
    readonly sums?: Record<string, SumDeclaration<Collections[C]>>
    /** Unique indexes whose rows are found in groups. */
    readonly uniqueInGroups?: Record<string, UniqueInGroup>
  }
}

/** A unique index without a table of its own: the few rows that may have a key are all in one group. */
export type UniqueInGroup = {
  readonly group: string
  /** The group's key, and the type of record that the row must have (`RowHeap.mayHaveType`). */
  readonly partsOf: (key: string) => { readonly groupKey: string; readonly type: string }
}

/** The key of a group that holds a whole collection. */
export const everything = ''

const all = () => everything

/** Joins key parts; names and ids never hold a newline. */
export function keyOf(...parts: readonly string[]): string {
  let key = parts[0] ?? ''
  // Three times as fast as `join`.
  for (let i = 1; i < parts.length; i += 1) key += `\n${parts[i]}`
  return key
}

type HashmapRule = Collections['hashmapMappings'] | Collections['hashmapThresholds']

const hashmapRuleGroups = {
  all,
  byParent: (rule: HashmapRule) => rule.serviceId ?? rule.fieldId ?? undefined,
  byGroup: (rule: HashmapRule) => rule.groupId ?? undefined,
  byTenant: (rule: HashmapRule) => rule.tenantId ?? undefined,
}

/** Abandoned zones are served but otherwise treated as gone: only the indexes of abandoned zones and of zones being removed find
 *  them. */
const ofManaged =
  <Key>(keyOfZone: (zone: Zone) => Key) =>
  (zone: Zone): Key | undefined =>
    zone.isAbandoned ? undefined : keyOfZone(zone)

const ofAbandoned =
  (keyOfZone: (zone: Zone) => string) =>
  (zone: Zone): string | undefined =>
    zone.isAbandoned && !zone.isDeleting ? keyOfZone(zone) : undefined

const lowerName = (zone: Zone): string => zone.name.toLowerCase()

function isSignal({ isManaged, type, name }: Recordset): boolean {
  return isManaged && (type === 'CDS' || type === 'CDNSKEY') && name.startsWith('_dsboot.')
}

export const indexes = {
  zones: {
    unique: { byName: ofManaged(zone => keyOf(zone.poolId, zone.name.toLowerCase())) },
    groups: {
      all: ofManaged(all),
      byProject: ofManaged(zone => zone.projectId),
      allByName: ofManaged(all),
      ofProjectByName: ofManaged(zone => zone.projectId),
      byPool: ofManaged(zone => zone.poolId),
      byLowerName: ofManaged(zone => zone.name.toLowerCase()),
      /** All zones somewhere below a name, however deep. */
      byAncestor: ofManaged(zone => enclosingNames(zone.name.toLowerCase())),
      abandoned: ofAbandoned(all),
      abandonedByPool: ofAbandoned(zone => zone.poolId),
      abandonedByLowerName: ofAbandoned(zone => zone.name.toLowerCase()),
      deleting: zone => (zone.isDeleting ? everything : undefined),
      importing: zone => (zone.isImporting ? everything : undefined),
      catalogs: zone => (catalogRoleOf(zone) && isInUse(zone) ? everything : undefined),
      byCatalog: ofManaged(zone => zone.member?.catalogId),
      /** Signed here, or to be. */
      byDnssecPolicy: zone => zone.dnssec?.policy,
      /** Includes abandoned zones: they are answered, and for validators their signatures expire like any other's. */
      signed: zone => (zone.dnssec !== undefined && !zone.isDeleting ? everything : undefined),
      signedByProject: zone =>
        zone.dnssec !== undefined && isInUse(zone) ? zone.projectId : undefined,
      /** Those to keep in step with their masters. */
      secondaries: zone => (zone.type === 'SECONDARY' && isInUse(zone) ? everything : undefined),
    },
    orders: { allByName: lowerName, ofProjectByName: lowerName },
  },
  recordsets: {
    unique: { byNameAndType: row => keyOf(row.zoneId, row.name.toLowerCase(), row.type) },
    uniqueInGroups: {
      byNameAndType: {
        group: 'byOwner',
        partsOf: key => {
          const end = key.lastIndexOf('\n')
          return { groupKey: key.slice(0, end), type: key.slice(end + 1) }
        },
      },
    },
    groups: {
      byZone: row => row.zoneId,
      byOwner: row => keyOf(row.zoneId, row.name.toLowerCase()),
      byShare: row => row.shareId,
      /** Recordsets that hold records from elsewhere, by the ids of those records. */
      byMovedRecord: row => row.recordMarks?.ofValues.flatMap(({ id }) => id ?? []),
      aliases: row => (row.type === 'ALIAS' ? everything : undefined),
      /** What registries bootstrap DNSSEC of other zones by (RFC 9615), here or in a copy of a zone from elsewhere. */
      signals: row => (isSignal(row) ? everything : undefined),
    },
    sums: {
      /** Counts the records of a zone, except those that the server manages. */
      recordsOfZone: {
        keyOf: row => row.zoneId,
        amountOf: row => (row.isManaged ? 0 : row.records.length),
      },
      /** Counts the records of a zone that the server manages. */
      managedRecordsOfZone: {
        keyOf: row => row.zoneId,
        amountOf: row => (row.isManaged ? row.records.length : 0),
      },
    },
  },
  zoneShares: {
    unique: { byZoneAndTarget: share => keyOf(share.zoneId, share.targetProjectId) },
    groups: { byZone: share => share.zoneId, byTarget: share => share.targetProjectId },
  },
  zoneTransferRequests: {
    unique: {
      /** A zone has at most one active offer. */
      byOfferedZone: request => (request.status === 'ACTIVE' ? request.zoneId : undefined),
    },
    groups: {
      all,
      byZone: request => request.zoneId,
      /** The requests in a project's lists: its own, and those addressed to it alone. */
      byViewer: request => [...new Set([request.projectId, request.targetProjectId ?? []].flat())],
    },
  },
  zoneTransferAccepts: {
    unique: {},
    groups: { all, byZone: accept => accept.zoneId, byProject: accept => accept.projectId },
  },
  floatingIps: {
    unique: { byAddress: row => row.address },
    groups: { all, byProject: row => row.projectId },
  },
  zoneExports: { unique: {}, groups: { all, byProject: row => row.projectId } },
  zoneImports: {
    unique: {},
    groups: {
      all,
      byProject: row => row.projectId,
      pending: row => (row.status === 'PENDING' ? everything : undefined),
    },
  },
  pools: { unique: { byName: pool => pool.name }, groups: { all } },
  blacklists: { unique: { byPattern: blacklist => blacklist.pattern }, groups: { all } },
  tlds: { unique: { byName: tld => tld.name.toLowerCase() }, groups: { all } },
  tsigKeys: {
    unique: { byName: key => tsigNameKey(key.name) },
    groups: { all, byResource: key => key.resourceId },
  },
  dnssecKeys: { unique: {}, groups: { all, byZone: key => key.zoneId } },
  dnssecPolicies: { unique: { byName: policy => policy.name }, groups: { all } },
  queryLogRules: { unique: {}, groups: { all } },
  quotas: { unique: { byProject: quota => quota.projectId }, groups: { all } },
  domains: { unique: { byName: domain => domain.name.toLowerCase() }, groups: { all } },
  projects: {
    unique: { byName: project => keyOf(project.domainId, project.name.toLowerCase()) },
    groups: { all, byDomain: project => project.domainId },
  },
  users: {
    unique: { byName: user => keyOf(user.domainId, user.name.toLowerCase()) },
    groups: {
      all,
      byDomain: user => user.domainId,
      byDefaultProject: user => user.defaultProjectId ?? undefined,
    },
  },
  roles: { unique: { byName: role => role.name.toLowerCase() }, groups: { all } },
  roleAssignments: {
    unique: { byParts: row => keyOf(row.userId, row.projectId, row.roleId) },
    groups: {
      all,
      byUser: row => row.userId,
      byProject: row => row.projectId,
      byRole: row => row.roleId,
    },
  },
  applicationCredentials: {
    unique: { byName: row => keyOf(row.userId, row.name.toLowerCase()) },
    groups: { all, byUser: row => row.userId, byProject: row => row.projectId },
  },
  revokedTokens: { unique: {}, groups: { all, byUser: row => row.userId } },
  secrets: { unique: {}, groups: { all } },
  hashmapServices: { unique: { byName: service => service.name }, groups: { all } },
  hashmapFields: {
    unique: { byName: field => keyOf(field.serviceId, field.name) },
    groups: { all, byService: field => field.serviceId },
  },
  hashmapGroups: { unique: { byName: group => group.name }, groups: { all } },
  hashmapMappings: { unique: {}, groups: hashmapRuleGroups },
  hashmapThresholds: { unique: {}, groups: hashmapRuleGroups },
  pyscripts: { unique: { byName: script => script.name }, groups: { all } },
  ratingModules: { unique: {}, groups: { all } },
  scopeStates: {
    unique: {
      byIdentity: row => keyOf(row.scopeId, row.scopeKey, row.collector, row.fetcher),
    },
    groups: { all, byScope: row => row.scopeId },
  },
  reprocesses: { unique: {}, groups: { all, byScope: row => row.scopeId } },
  collectorMappings: { unique: {}, groups: { all } },
  collectorStates: { unique: {}, groups: { all } },
  lastSerials: {
    unique: { byName: row => keyOf(row.poolId, row.zoneName) },
    groups: { byProject: row => row.projectId },
  },
  budgets: {
    unique: { byProject: budget => budget.projectId },
    groups: { all, byProject: budget => budget.projectId },
  },
  expiringSignatures: { unique: {}, groups: { all } },
  budgetCrossings: {
    unique: {
      /** A threshold is reached once a month. */
      byThreshold: row => keyOf(row.budgetId, row.month, String(row.threshold)),
    },
    groups: { byBudget: row => row.budgetId },
  },
  webhooks: { unique: {}, groups: { all, byProject: row => row.projectId } },
  webhookPlaces: { unique: {}, groups: { all } },
} as const satisfies IndexTable

export type UniqueIndexName<C extends CollectionName> = keyof (typeof indexes)[C]['unique'] & string
export type GroupIndexName<C extends CollectionName> = keyof (typeof indexes)[C]['groups'] & string
export type SumIndexName<C extends CollectionName> = (typeof indexes)[C] extends {
  readonly sums: infer Sums
}
  ? keyof Sums & string
  : never
