import type { Targets } from '../rules/targets.ts'
import type { PoolServers } from './pool-servers.ts'

type PoolTargetsOptions = {
  /** The servers in this process: what they serve. */
  readonly inProcess: Targets
  /** The same servers: whether they can be reached. */
  readonly servers: Pick<PoolServers, 'problemOf'>
  /** The external targets. */
  readonly externalTargets: Pick<Targets, 'reportsOf'>
  /** What keeps the addresses of ALIAS recordsets. */
  readonly aliases: Pick<Targets, 'problemOf'>
}

/** All servers behind a pool, in this process and elsewhere. */
export function poolTargets({
  inProcess,
  servers,
  externalTargets,
  aliases,
}: PoolTargetsOptions): Targets {
  return {
    reportsOf(zone) {
      const problem = servers.problemOf(zone.poolId)
      const own = inProcess.reportsOf(zone)
      const reached =
        problem === undefined
          ? own
          : own.map(report => ({ ...report, problem: report.problem ?? problem }))
      return [...reached, ...externalTargets.reportsOf(zone)]
    },
    problemOf: recordset => inProcess.problemOf(recordset) ?? aliases.problemOf(recordset),
  }
}
