import type { Blacklist } from './blacklist.ts'
import type { Budget, BudgetCrossing } from './budget.ts'
import type { StoredDnssecKey } from './dnssec-key.ts'
import type { DnssecPolicy } from './dnssec-policy.ts'
import type { ExpiringSignatures } from './expiring-signatures.ts'
import type { FloatingIp } from './floating-ip.ts'
import type {
  ApplicationCredential,
  Domain,
  Project,
  RevokedToken,
  Role,
  RoleAssignment,
  Secret,
  User,
} from './identity.ts'
import type { LastSerial } from './last-serial.ts'
import type { Pool } from './pool.ts'
import type { ProjectWebhook } from './project-webhook.ts'
import type { QueryLogRule } from './query-log-rule.ts'
import type { Quota } from './quota.ts'
import type {
  CollectorMapping,
  CollectorState,
  HashmapField,
  HashmapGroup,
  HashmapMapping,
  HashmapService,
  HashmapThreshold,
  Pyscript,
  RatingModule,
  Reprocess,
  ScopeState,
} from './rating.ts'
import type { Recordset } from './recordset.ts'
import type { Tld } from './tld.ts'
import type { TsigKey } from './tsig-key.ts'
import type { WebhookCursor } from './webhook-cursor.ts'
import type { Zone } from './zone.ts'
import type { ZoneExport } from './zone-export.ts'
import type { ZoneImport } from './zone-import.ts'
import type { ZoneShare } from './zone-share.ts'
import type { ZoneTransferAccept } from './zone-transfer-accept.ts'
import type { ZoneTransferRequest } from './zone-transfer-request.ts'

/** Every stored collection and the type of its rows. */
export type Collections = {
  zones: Zone
  recordsets: Recordset
  zoneShares: ZoneShare
  zoneTransferRequests: ZoneTransferRequest
  zoneTransferAccepts: ZoneTransferAccept
  floatingIps: FloatingIp
  zoneExports: ZoneExport
  zoneImports: ZoneImport
  lastSerials: LastSerial
  pools: Pool
  blacklists: Blacklist
  tlds: Tld
  tsigKeys: TsigKey
  dnssecKeys: StoredDnssecKey
  dnssecPolicies: DnssecPolicy
  expiringSignatures: ExpiringSignatures
  queryLogRules: QueryLogRule
  quotas: Quota
  domains: Domain
  projects: Project
  users: User
  roles: Role
  roleAssignments: RoleAssignment
  applicationCredentials: ApplicationCredential
  revokedTokens: RevokedToken
  secrets: Secret
  hashmapServices: HashmapService
  hashmapFields: HashmapField
  hashmapGroups: HashmapGroup
  hashmapMappings: HashmapMapping
  hashmapThresholds: HashmapThreshold
  pyscripts: Pyscript
  ratingModules: RatingModule
  scopeStates: ScopeState
  reprocesses: Reprocess
  collectorMappings: CollectorMapping
  collectorStates: CollectorState
  budgets: Budget
  budgetCrossings: BudgetCrossing
  webhooks: ProjectWebhook
  webhookPlaces: WebhookCursor
}

export type CollectionName = keyof Collections
