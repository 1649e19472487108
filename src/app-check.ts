import { randomInt } from 'node:crypto'
import { type CheckView, checkView } from './api/admin/check.view.ts'
import { type AdminProof, askForCheck, CheckUnavailableError } from './api/admin/check-client.ts'
import { openPoolServers } from './app-servers.ts'
import type { Config } from './config/config.ts'
import { createLogger } from './log.ts'
import { adminName } from './model/identity.ts'
import { Publisher } from './publish.ts'
import { Consistency } from './service/consistency/consistency.ts'
import { StoreLockedError } from './store/lock.ts'
import { openStoreForReading } from './store/open-for-reading.ts'
import type { StoreDefect } from './store/repair.ts'
import type { Store } from './store/store.ts'
import { formatAddress } from './transport/listen-error.ts'
import { ZoneTable } from './zone/table/zone-table.ts'

// The composition root of `check`: the running server's answer where there is one, and otherwise what a start would
// make of the files.

/** What a check has found. */
export type CheckOutcome = {
  /** The server that was asked; undefined where none runs on these data. */
  readonly server: string | undefined
  /** Files that keep a server from starting. */
  readonly defects: readonly StoreDefect[]
  readonly view: CheckView
}

/** Checks the data of a directory, by the server that has them open or, where none has, by itself.
 *  @throws StoreDamageError there is no store; CheckUnavailableError the server could not be asked */
export async function checkData(config: Config, directory: string): Promise<CheckOutcome> {
  try {
    const { store, defects } = await openStoreForReading({ directory })
    try {
      return { server: undefined, defects, view: await checkStored(store) }
    } finally {
      await store.close()
    }
  } catch (error) {
    if (!(error instanceof StoreLockedError)) throw error
    const server = `http://${formatAddress(reachable(config.apiListen))}`
    return { server, defects: [], view: await askForCheck(server, proofFrom(config, server)) }
  }
}

/** The outcome for people: a line a finding, and what was looked at. */
export function describeCheck({ server, defects, view }: CheckOutcome): string {
  const { zones, recordsets, rows, names, unsettled_zones: unsettled } = view.counts
  const counts = `zones ${zones}, record sets ${recordsets}, rows ${rows}, names in answers ${names}`
  const count = defects.length + view.findings.length + view.omitted_findings
  return [
    ...defects.map(
      ({ file, problem }) => `${file}: ${problem}. Restore a backup, or run: store repair`,
    ),
    ...view.findings.map(describeFinding),
    ...(view.omitted_findings > 0 ? [`… and ${view.omitted_findings} more`] : []),
    `Compared: ${counts}${server === undefined ? '' : ` (by the server at ${server})`}`,
    ...(unsettled > 0 ? [`Not compared, because about to change: zones ${unsettled}`] : []),
    `Differences: ${count === 0 ? 'none' : count}`,
  ].join('\n')
}

/** Whether nothing was found. */
export function isClean({ defects, view }: CheckOutcome): boolean {
  return defects.length === 0 && view.is_consistent
}

function describeFinding(finding: CheckView['findings'][number]): string {
  const { kind, zone, name, type, target, collection, id, problem, remedy } = finding
  const places = [
    zone && `zone ${zone}`,
    [name, type].filter(Boolean).join(' '),
    target && `at ${target}`,
    id && `${collection ?? 'row'} ${id}`,
  ]
  return `${kind}: ${places.filter(Boolean).join(', ')}: ${problem}. ${remedy}`
}

/** Publishes what is stored as a start would, without listening anywhere, and checks that. */
async function checkStored(store: Store): Promise<CheckView> {
  const table = ZoneTable.create({ randomWord: () => randomInt(2 ** 32) })
  const logger = createLogger({ level: 'silent' })
  const servers = openPoolServers({ store, logger, table, zones: table.addTarget() })
  const targetsOf = (poolId: string) => [{ name: 'a start', zones: servers.zonesOf(poolId) }]
  // What cannot be served is found by the check.
  const publisher = new Publisher({ store, table, targetsOf, onProblem: () => undefined })
  await publisher.start()
  const isMoving = (poolId: string) => servers.isMoving(poolId)
  return checkView(await new Consistency({ store, table, targetsOf, isMoving }).check())
}

/** Where a server is reached from its own machine that listens on all addresses. */
function reachable({ host, port }: Config['apiListen']): Config['apiListen'] {
  if (host === '0.0.0.0') return { host: '127.0.0.1', port }
  return host === '::' ? { host: '::1', port } : { host, port }
}

/** @throws CheckUnavailableError nothing is set that the server would let in, or its port is not known */
function proofFrom({ adminToken, adminPassword, ...config }: Config, server: string): AdminProof {
  if (config.apiListen.port === 0) {
    throw new CheckUnavailableError(
      'a server has the store open, and ZONEWRIGHT_API_LISTEN does not say at which port: set it, or stop the server',
    )
  }
  if (adminToken !== undefined) return { kind: 'token', token: adminToken }
  if (adminPassword !== undefined && config.keystone === undefined) {
    return { kind: 'password', user: adminName, password: adminPassword }
  }
  if (config.allowsNoAuth) return { kind: 'none' }
  throw new CheckUnavailableError(
    `a server has the store open and must be asked at ${server}: set ZONEWRIGHT_ADMIN_TOKEN or ZONEWRIGHT_ADMIN_PASSWORD as the server has it, or stop the server`,
  )
}
