import { hostname } from 'node:os'
import type { Config } from '../config/config.ts'
import { parseIpv4 } from '../dns/rdata/fields/ipv4.ts'
import { parseIpv6 } from '../dns/rdata/fields/ipv6.ts'
import type { Logger } from '../log.ts'
import { parseNetwork } from '../model/network.ts'
import type { QueryLogRule } from '../model/query-log-rule.ts'
import type { TapReader, TapRule } from '../nameserver/tap-reader.ts'
import { BoundedFile } from '../querylog/bounded-file.ts'
import { DnstapSocket } from '../querylog/dnstap-socket.ts'
import { dnstapEnds, type LogSink, QueryLog } from '../querylog/query-log.ts'
import type { QueryLogRules } from '../service/operations/query-log-rules.ts'
import { version } from '../version.ts'
import type { CommonParts } from './options.ts'

// The composition root's part for the query log: where queries are written, and which ones are recorded for it.

/** The most octets of a file, and of its predecessor. */
const maxLogOctets = 256 * 1024 * 1024
const socketPrefix = 'unix:'
/** The delay with which a rule ends, or a rule of another node takes effect. */
const applyMillis = 1000

type QueryLogParts = Pick<CommonParts, 'config' | 'logger'> & {
  readonly tap: TapReader
  readonly rules: QueryLogRules
  readonly zoneNameOf: (zoneNumber: number) => string | undefined
  /** Undefined where the zone is not served. */
  readonly zoneNumberOf: (zoneId: string) => number | undefined
}

/** Whether queries can be written anywhere. */
export function hasQueryLog({ queryLog }: Pick<Config, 'queryLog'>): boolean {
  return queryLog.linesPath !== undefined || queryLog.dnstapPath !== undefined
}

/** Starts writing queries, if the settings name a place for them: those that the settings select, and those that rules do. */
export function openQueryLog(
  parts: QueryLogParts,
  opened: AsyncDisposableStack,
): QueryLog | undefined {
  const { config, logger, tap, rules, zoneNameOf } = parts
  if (!hasQueryLog(config)) return undefined
  const { linesPath, dnstapPath } = config.queryLog
  const log = new QueryLog({
    lines: linesPath === undefined ? undefined : fileAt(linesPath, logger),
    dnstap: dnstapPath === undefined ? undefined : dnstapAt(dnstapPath, logger),
    source: { identity: hostname(), version: `zonewright ${version}` },
    hidesHosts: config.hidesQueryHosts,
    zoneNameOf,
  })
  let applied = ''
  const apply = () => {
    const wanted = tapRules(parts)
    const text = JSON.stringify(wanted)
    if (text !== applied) tap.setRules(wanted)
    applied = text
  }
  apply()
  rules.onChanged = apply
  const timer = setInterval(apply, applyMillis)
  opened.defer(() => clearInterval(timer))
  return log
}

function tapRules({ config, rules, zoneNumberOf }: QueryLogParts): readonly TapRule[] {
  const { sampledOf } = config.queryLog
  const own = { zoneNumber: undefined, client: undefined, sampledOf }
  const others = rules.active().flatMap(rule => tapRuleOf(rule, zoneNumberOf) ?? [])
  return sampledOf > 0 ? [own, ...others] : others
}

/** Undefined where its zone is not served. */
function tapRuleOf(
  { zoneId, client, sampledOf }: QueryLogRule,
  zoneNumberOf: QueryLogParts['zoneNumberOf'],
): TapRule | undefined {
  const zoneNumber = zoneId === null ? undefined : zoneNumberOf(zoneId)
  if (zoneId !== null && zoneNumber === undefined) return undefined
  const network = client === null ? undefined : parseNetwork(client)
  const octets = network && (parseIpv4(network.address) ?? parseIpv6(network.address))
  return {
    zoneNumber,
    client: network && octets && { octets: Uint8Array.from(octets), bits: network.bits },
    sampledOf,
  }
}

function fileAt(path: string, logger: Logger, ends: typeof dnstapEnds | object = {}): LogSink {
  return new BoundedFile({
    path,
    maxOctets: maxLogOctets,
    ...ends,
    onFailed: error =>
      logger.error(
        { err: error, file: path },
        'queries are not written until that is possible again',
      ),
  })
}

function dnstapAt(path: string, logger: Logger): LogSink {
  if (!path.startsWith(socketPrefix)) return fileAt(path, logger, dnstapEnds)
  const socket = path.slice(socketPrefix.length)
  return new DnstapSocket({
    path: socket,
    onChanged: hasReader =>
      logger.info(
        { socket },
        hasReader ? 'a reader takes queries as dnstap' : 'no reader takes queries',
      ),
  })
}
