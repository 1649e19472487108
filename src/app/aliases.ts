import type { Cluster } from '../cluster/cluster.ts'
import type { Config } from '../config/config.ts'
import type { Logger } from '../log.ts'
import { Aliases, type AliasesOptions } from '../service/recordsets/aliases.ts'
import { aliasResolver } from '../transport/outbound/alias-resolver.ts'

/** Opens the upkeep of the addresses of ALIAS recordsets. */
export function openAliases({
  config: { aliasResolvers },
  cluster: { duty },
  logger,
  ...parts
}: Pick<AliasesOptions, 'store' | 'clock'> & {
  readonly cluster: Cluster
  readonly config: Pick<Config, 'aliasResolvers'>
  readonly logger: Logger
}): Aliases {
  return new Aliases({
    ...parts,
    duty,
    resolve: aliasResolvers.length === 0 ? undefined : aliasResolver(aliasResolvers),
    onFailed: ({ name, records }, { message }) =>
      logger.warn({ name, target: records[0], reason: message }, 'an ALIAS could not be resolved'),
  })
}
