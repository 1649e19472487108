import { randomInt } from 'node:crypto'
import { type CheckView, checkView } from '../api/admin/check.view.ts'
import { askForCheck } from '../api/admin/check-client.ts'
import { openPoolServers } from '../app/servers.ts'
import type { Config } from '../config/config.ts'
import { KeySealing } from '../dnssec/sealed-key.ts'
import { signBatch } from '../dnssec/sign-batch.ts'
import type { Defect } from '../durable/damage.ts'
import { realFiles } from '../durable/file-system.ts'
import { StoreLockedError } from '../durable/lock.ts'
import { createLogger } from '../log.ts'
import { Publisher } from '../publish/publisher.ts'
import { ZoneKeys } from '../publish/zone-keys.ts'
import { checkUsage } from '../rating/usage-repair.ts'
import { Consistency } from '../service/consistency/consistency.ts'
import { openStoreForReading } from '../store/open-for-reading.ts'
import type { Store } from '../store/store.ts'
import { ZoneTable } from '../zone/table/zone-table.ts'
import { ownServer } from './own-server.ts'

// The composition root of `check`: the running server's answer where there is one, and otherwise what a start would
// make of the files.

/** What a check has found. */
export type CheckOutcome = {
  /** The server that was asked; undefined where none runs on these data. */
  readonly server: string | undefined
  /** Files that keep a server from starting. */
  readonly defects: readonly Defect[]
  readonly view: CheckView
}

/** Checks the data of a directory, by the server that has them open or, where none has, by itself.
 *  @throws DamageError there is no store; ServerUnavailableError the server could not be asked */
export async function checkData(config: Config, directory: string): Promise<CheckOutcome> {
  try {
    const { store, defects } = await openStoreForReading({ directory })
    try {
      const usage = await checkUsage({ files: realFiles, directory })
      const view = await checkStored(store, config)
      return { server: undefined, defects: [...defects, ...usage], view }
    } finally {
      await store.close()
    }
  } catch (error) {
    if (!(error instanceof StoreLockedError)) throw error
    const server = ownServer(config)
    return { server: server.url, defects: [], view: await askForCheck(server) }
  }
}

/** The outcome for people: a line a finding, and what was looked at. */
export function describeCheck({ server, defects, view }: CheckOutcome): string {
  const { zones, recordsets, rows, names } = view.counts
  const { abandoned_zones: abandoned, unsettled_zones: unsettled } = view.counts
  const counts = `zones ${zones}, recordsets ${recordsets}, rows ${rows}, names in answers ${names}`
  const count = defects.length + view.findings.length + view.omitted_findings
  return [
    ...defects.map(
      ({ file, problem }) =>
        `${file}: ${problem}. Restore a backup, or run: npm start -- store repair`,
    ),
    ...view.findings.map(describeFinding),
    ...(view.omitted_findings > 0 ? [`… and ${view.omitted_findings} more`] : []),
    `Compared: ${counts}${server === undefined ? '' : ` (by the server at ${server})`}`,
    ...(abandoned > 0 ? [`Abandoned and still answered: zones ${abandoned}`] : []),
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
async function checkStored(store: Store, { keySecret }: Config): Promise<CheckView> {
  const table = ZoneTable.create({ randomWord: () => randomInt(2 ** 32) })
  const logger = createLogger({ level: 'silent' })
  const servers = openPoolServers({ store, logger, table, zones: table.addTarget() })
  const targetsOf = (poolId: string) => [{ name: 'a start', zones: servers.zonesOf(poolId) }]
  // What cannot be served is found by the check.
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
