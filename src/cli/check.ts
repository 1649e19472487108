import { randomInt } from 'node:crypto'
import { checkAnswer } from '../api/admin/answers.ts'
import { type CheckView, checkView } from '../api/admin/check.view.ts'
import { openPoolServers } from '../app/servers.ts'
import { ClientError } from '../client/client-error.ts'
import { enter } from '../client/credentials.ts'
import { Session } from '../client/session.ts'
import type { Config } from '../config/config.ts'
import { KeySealing } from '../dnssec/sealed-key.ts'
import { signBatch } from '../dnssec/sign-batch.ts'
import { type Defect, type Mended, remedyFor } from '../durable/damage.ts'
import { realFiles } from '../durable/file-system.ts'
import { StoreLockedError } from '../durable/lock.ts'
import { createLogger } from '../log.ts'
import { Publisher } from '../publish/publisher.ts'
import { ZoneKeys } from '../publish/zone-keys.ts'
import { checkUsage } from '../rating/usage-repair.ts'
import { Consistency } from '../service/consistency/consistency.ts'
import { openStoreForReading } from '../store/open-for-reading.ts'
import type { Store } from '../store/store.ts'
import { compile } from '../validator.ts'
import { ZoneTable } from '../zone/table/zone-table.ts'
import { ownServer, ServerUnavailableError } from './own-server.ts'

// The composition root of `check`: the check of the running server where there is one, and otherwise a check of what a start
// would read from the files.

/** The outcome of a check. */
export type CheckOutcome = {
  readonly directory: string
  /** The server that did the check; undefined where none runs on this data. */
  readonly server: string | undefined
  /** Damaged files that prevent a server from starting. */
  readonly defects: readonly Defect[]
  /** Damage that the next start does away with. */
  readonly mended: readonly Mended[]
  readonly view: CheckView
  /** The checks of the other nodes that share the store. */
  readonly others: readonly NodeCheck[]
}

type NodeCheck = {
  readonly node: string
  /** Undefined where the node could not be reached. */
  readonly view: CheckView | undefined
}

/** Checks the data of a directory: the server that has the data open does it, or else this process.
 *  @throws DamageError there is no store; ServerUnavailableError the server could not be asked */
export async function checkData(config: Config, directory: string): Promise<CheckOutcome> {
  try {
    const { store, ...found } = await openStoreForReading({ directory })
    try {
      const mended = [...found.mended]
      const usage = await checkUsage({ files: realFiles, directory }, each => mended.push(each))
      const defects = [...found.defects, ...usage]
      const view = await checkStored(store, config)
      return { directory, server: undefined, defects, mended, view, others: [] }
    } finally {
      await store.close()
    }
  } catch (error) {
    if (!(error instanceof StoreLockedError)) throw error
    return { directory, ...(await checkServed(config)) }
  }
}

/** @throws ServerUnavailableError the server cannot be reached, refuses, or answers something else */
async function checkServed(config: Config): Promise<Omit<CheckOutcome, 'directory'>> {
  const own = ownServer(config)
  const server = new Session(() => enter(own))
  try {
    const view = await askForCheck(server)
    const others = config.cluster === undefined ? [] : await checkOthers(server, config.cluster)
    return { server: own.url, defects: [], mended: [], view, others }
  } catch (cause) {
    if (!(cause instanceof ClientError)) throw cause
    const message = `${own.url} does not check itself: ${cause.message}`
    throw new ServerUnavailableError(message, { cause })
  }
}

/** Asks a server to check itself. Takes as long as the check.
 *  @throws ClientError */
async function askForCheck(server: Session): Promise<CheckView> {
  const view = await server.json('POST', '/admin/check')
  if (compile(checkAnswer)(view).length > 0)
    throw new ClientError('what it answers is no report of a check')
  return view as CheckView
}

/** Has the nodes that share the store with a server check themselves, one after the other. */
async function checkOthers(
  server: Session,
  own: { readonly node: string },
): Promise<readonly NodeCheck[]> {
  const nodes = await server.list('/v2/nodes', 'nodes')
  const others: NodeCheck[] = []
  for (const { name, url, status } of nodes) {
    if (name === own.node || status !== 'UP') continue
    const other = new Session(async () => ({ ...(await server.logIn()), url: String(url) }))
    const view = await askForCheck(other).catch(() => undefined)
    others.push({ node: String(name), view })
  }
  return others
}

/** The outcome in readable form: one line per finding, and what was checked. */
export function describeCheck(outcome: CheckOutcome): string {
  const { directory, server, defects, mended, view, others } = outcome
  const { zones, recordsets, rows, names } = view.counts
  const { abandoned_zones: abandoned, unsettled_zones: unsettled } = view.counts
  const counts = `zones ${zones}, recordsets ${recordsets}, rows ${rows}, names in answers ${names}`
  const views = [view, ...others.map(each => each.view)]
  const omitted = sumOf(views, each => each.omitted_findings)
  const ofNodes = others.map(each => [`node ${each.node}: `, each.view] as const)
  const lines = [['', view] as const, ...ofNodes].flatMap(([prefix, each]) =>
    findingLines(prefix, each),
  )
  const found = [...new Set(lines)]
  const count = defects.length + found.length + omitted
  return [
    ...defects.map(({ file, problem }) => `${file}: ${problem}. ${remedyFor(directory)}`),
    ...found,
    ...(omitted > 0 ? [`… and ${omitted} more`] : []),
    `Compared: ${counts}${server === undefined ? '' : ` (by the server at ${server})`}`,
    ...(others.length > 0
      ? [`Compared too: nodes ${others.map(({ node }) => node).join(', ')}`]
      : []),
    ...(abandoned > 0 ? [`Abandoned and still answered: zones ${abandoned}`] : []),
    ...(unsettled > 0 ? [`Not compared, because about to change: zones ${unsettled}`] : []),
    ...mended.map(({ file, problem, remedy }) => `Note: ${file}: ${problem}. ${remedy}`),
    `Differences: ${count === 0 ? 'none' : count}`,
  ].join('\n')
}

/** The outcome for programs: as the server's API shows a check, with what only a command finds. */
export function checkAsJson(outcome: CheckOutcome): object {
  const { server = null, defects, mended, view, others } = outcome
  const files = { damaged_files: defects, mended_files: mended }
  return { ...view, is_consistent: isClean(outcome), server, ...files, nodes: others }
}

/** Whether nothing was found. */
export function isClean({ defects, view, others }: CheckOutcome): boolean {
  const isSound = [view, ...others.map(each => each.view)].every(each => each?.is_consistent)
  return defects.length === 0 && isSound
}

function sumOf(views: readonly (CheckView | undefined)[], of: (view: CheckView) => number): number {
  return views.reduce((sum, view) => sum + (view === undefined ? 0 : of(view)), 0)
}

/** A finding about a node is the same line whichever node reports it. */
function findingLines(prefix: string, view: CheckView | undefined): readonly string[] {
  if (view === undefined) return [`${prefix}it could not be asked`]
  return view.findings.map(finding =>
    finding.kind === 'node' ? describeFinding(finding) : prefix + describeFinding(finding),
  )
}

function describeFinding(finding: CheckView['findings'][number]): string {
  const { kind, zone, name, type, target, collection, id, problem, remedy } = finding
  const places = [
    zone && `zone ${zone}`,
    [name, type].filter(Boolean).join(' '),
    target && `at ${target}`,
    id && (kind === 'node' ? id : `${collection ?? 'row'} ${id}`),
  ]
  const place = places.filter(Boolean).join(', ')
  return `${[kind, place, problem].filter(Boolean).join(': ')}. ${remedy}`
}

/** Publishes the stored data as a start would, without listening anywhere, and checks the result. */
async function checkStored(store: Store, { keySecret }: Config): Promise<CheckView> {
  const table = ZoneTable.create({ randomWord: () => randomInt(2 ** 32) })
  const logger = createLogger({ level: 'silent' })
  const targetOf = () => table.addTarget()
  const servers = openPoolServers({ store, logger, table, targetOf, zones: targetOf() })
  const targetsOf = (poolId: string) => [{ name: 'a start', zones: servers.zonesOf(poolId) }]
  // The check finds what cannot be served.
  const publisher = new Publisher({
    store,
    table,
    targetsOf,
    zoneKeys: new ZoneKeys({ store, sealing: new KeySealing(keySecret), nowMillis: Date.now }),
    signBatch: async batch => signBatch(batch),
    onProblem: () => undefined,
  })
  await publisher.start()
  const isMoving = (poolId: string) => servers.isMoving(poolId)
  const isPublishing = (zoneId: string) => publisher.isPublishing(zoneId)
  return checkView(
    await new Consistency({ store, table, targetsOf, isMoving, isPublishing }).check(),
  )
}
