import { Aliases } from '../service/recordsets/aliases.ts'
import { aliasResolver } from '../transport/outbound/alias-resolver.ts'
import type { CommonParts } from './options.ts'

/** Opens the upkeep of the addresses of ALIAS recordsets. */
export function openAliases({
  config: { aliasResolvers },
  cluster: { duty },
  logger,
  ...parts
}: Pick<CommonParts, 'config' | 'cluster' | 'logger' | 'store' | 'clock'>): Aliases {
  return new Aliases({
    ...parts,
    duty,
    resolve: aliasResolvers.length === 0 ? undefined : aliasResolver(aliasResolvers),
    onFailed: ({ name, records }, { message }) =>
      logger.warn({ name, target: records[0], reason: message }, 'an ALIAS could not be resolved'),
  })
}
