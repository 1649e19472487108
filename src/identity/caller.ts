import type { builtInRoles } from '../model/identity.ts'

/** A role with a meaning in the policy. */
export type RoleName = (typeof builtInRoles)[number]

/** The authenticated user and project of a request. Every service call takes one. */
export type Caller = {
  readonly userId: string
  readonly userName: string
  /** The project whose resources the call is about. */
  readonly projectId: string
  /** Every role in the project, the implied ones written out: an admin is a member is a reader. */
  readonly roles: readonly string[]
  /** The request spans projects (X-Auth-All-Projects, admin only). */
  readonly hasAllProjects: boolean
  /** The request may change the names of floating IPs by their recordsets (X-Designate-Edit-Managed-Records, admin
   *  only). */
  readonly mayEditManagedRecords: boolean
  /** A zone's deletion removes its shares as well (X-Designate-Delete-Shares). */
  readonly wantsDeleteShares: boolean
  /** A zone may be deleted while there are zones below it. */
  readonly mayLeaveSubzones?: boolean
  /** Blacklists hold for the request whatever its roles allow. */
  readonly isBoundByBlacklists?: boolean
  /** Administrators may have SECONDARY zones of a single label. */
  readonly mayCopyTopLevels?: boolean
  /** Recordsets of SECONDARY zones are read-only for the request whatever its roles allow. */
  readonly keepsSecondariesReadOnly?: boolean
  /** Recordsets may have only names of hosts, without escapes. */
  readonly takesHostNamesOnly?: boolean
}

/** The caller where a part of the server acts for a project of its own accord.
 *  @param name what the part is called */
export function ownCaller(name: string, projectId: string, roles: readonly RoleName[]): Caller {
  return {
    userId: name,
    userName: name,
    projectId,
    roles,
    hasAllProjects: false,
    mayEditManagedRecords: false,
    wantsDeleteShares: false,
  }
}

/** Admins see and change everything, in any project. */
export function isAdmin(caller: Caller): boolean {
  return caller.roles.includes('admin')
}

/** Whether the caller's request reaches the resources of a project: its own, or all of them. */
export function reachesProject(caller: Caller, projectId: string | null): boolean {
  return caller.hasAllProjects || caller.projectId === projectId
}
