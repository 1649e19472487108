import { formatName, type Name } from '../../dns/name.ts'
import type { Pool } from '../../model/pool.ts'
import { rrsetOf } from '../../model/recordset-rrset.ts'
import type { Zone } from '../../model/zone.ts'
import { Mutex } from '../../mutex.ts'
import { everything } from '../../store/indexes.ts'
import type { LogDifference, Store } from '../../store/store.ts'
import { inSlices, TimeSlice } from '../../time-slice.ts'
import type { TableZone } from '../../zone/table/table-zone.ts'
import type { ZoneTable } from '../../zone/table/zone-table.ts'
import { rowPages } from '../listing/row-pages.ts'
import { type Finding, Findings } from './finding.ts'
import { checkReferences } from './references.ts'
import {
  type CheckedTarget,
  checkServedName,
  checkServedRow,
  checkServedZone,
  type ServiceState,
  serviceState,
} from './served-zone.ts'
import { apexOf, checkManaged, checkSound, subjectOf } from './sound-rows.ts'

type ConsistencyOptions = {
  readonly store: Store
  /** Where the zones of all targets are. */
  readonly table: ZoneTable
  readonly targetsOf: (poolId: string) => readonly CheckedTarget[]
  /** Whether the zones of a pool are being moved from one server in this process to another. */
  readonly isMoving: (poolId: string) => boolean
  /** Whether only a part of what is stored of a zone is answered yet. */
  readonly isPublishing: (zoneId: string) => boolean
  /** Compares a shared store with what other nodes have of it. */
  readonly compareShared?: (() => AsyncIterable<LogDifference>) | undefined
}

/** What a check has covered and found. */
export type ConsistencyReport = {
  readonly zoneCount: number
  /** Those among them that are abandoned and still answered. */
  readonly abandonedCount: number
  readonly recordsetCount: number
  /** Rows whose references have been checked. */
  readonly rowCount: number
  /** Names that are answered for. */
  readonly nameCount: number
  /** Zones whose answers were not compared, because they are about to change. */
  readonly unsettledCount: number
  readonly findings: readonly Finding[]
  /** Findings beyond those. */
  readonly omittedCount: number
}

/** Compares the store with itself and with what is answered, while both keep changing. A commit is in the rows, in
 *  the indexes and, unless it changes much of a zone, in the zone table before anything else runs. So every step may
 *  check what it reads as it is at that moment, once the zone is published; no step keeps state for the next one. */
export class Consistency {
  readonly #options: ConsistencyOptions
  readonly #checks = new Mutex()
  #next: Promise<ConsistencyReport> | undefined

  constructor(options: ConsistencyOptions) {
    this.#options = options
  }

  /** Checks everything, in slices. One check runs at a time: a call meanwhile gets the report of the next check,
   *  which begins after the call. */
  check(): Promise<ConsistencyReport> {
    this.#next ??= this.#checks.run(() => {
      this.#next = undefined
      return new ConsistencyRun(this.#options).run()
    })
    return this.#next
  }
}

/** What a step checks; valid until other work has run. */
type Look = {
  readonly zone: Zone
  readonly apex: Name
  readonly state: ServiceState
  readonly served: TableZone | undefined
}

/** One check. */
class ConsistencyRun {
  readonly #options: ConsistencyOptions
  readonly #findings = new Findings()
  readonly #slice = new TimeSlice()
  readonly #counts = {
    zoneCount: 0,
    abandonedCount: 0,
    recordsetCount: 0,
    nameCount: 0,
    unsettledCount: 0,
  }

  constructor(options: ConsistencyOptions) {
    this.#options = options
  }

  async run(): Promise<ConsistencyReport> {
    const { store } = this.#options
    for (const defect of store.indexDefects()) {
      if (defect !== undefined) {
        const { collection, id, index, problem } = defect
        this.#findings.add('index', { collection, id }, `${index}: ${problem}`)
      }
      if (this.#slice.isSpent) await this.#slice.yield()
    }
    const rowCount = await inSlices(checkReferences(store, this.#findings), this.#slice)
    for (const index of ['all', 'abandoned'] as const) {
      for (const page of rowPages(store, 'zones', { index, key: everything })) {
        for (const { id } of page) {
          if (this.#slice.isSpent) await this.#slice.yield()
          await this.#checkZone(id)
        }
      }
    }
    await this.#checkTable()
    const differences = this.#options.compareShared?.() ?? []
    for await (const { kind, problem, remedy, ...subject } of differences)
      this.#findings.add(kind, subject, problem, remedy)
    const { all: findings, omittedCount } = this.#findings
    return { ...this.#counts, rowCount, findings, omittedCount }
  }

  async #checkZone(id: string): Promise<void> {
    const { store } = this.#options
    const zone = store.get('zones', id)
    if (zone === undefined) return
    this.#counts.zoneCount += 1
    if (zone.isAbandoned) this.#counts.abandonedCount += 1
    checkManaged(store, zone, this.#findings)
    this.#checkNamesakes(zone)
    await this.#untilPublished(id)
    const first = this.#look(id, this.#findings)
    if (first?.state === 'unsettled') this.#counts.unsettledCount += 1
    await this.#checkRows(id)
    await this.#checkNames(id)
  }

  /** Reports zones of one name on one server, each pair once. In pools that are not answered together they are
   *  allowed. */
  #checkNamesakes(zone: Zone): void {
    const { targetsOf } = this.#options
    const own = targetsOf(zone.poolId)
    for (const other of this.#storedNamed(zone.name.toLowerCase())) {
      if (other.id <= zone.id) continue
      const shared = targetsOf(other.poolId).find(({ zones }) =>
        own.some(target => target.zones === zones),
      )
      if (shared === undefined) continue
      const subject = { zone: zone.name, id: zone.id, target: shared.name }
      const problem = `zone ${other.id} has the same name on the same server`
      this.#findings.add('zone', subject, problem, 'Delete one of them, or move it to another pool')
    }
  }

  /** Looks at a zone again after other work has run. */
  async #lookAgain(id: string): Promise<Look | undefined> {
    await this.#untilPublished(id)
    return this.#look(id)
  }

  async #untilPublished(zoneId: string): Promise<void> {
    while (this.#options.isPublishing(zoneId)) await this.#slice.yield()
  }

  /** Looks at a zone as it is now; problems of the zone as a whole are reported the first time only. */
  #look(id: string, findings = new Findings()): Look | undefined {
    const { store, targetsOf, isMoving } = this.#options
    const zone = store.get('zones', id)
    if (zone === undefined) return undefined
    const apex = apexOf(zone)
    if (apex === undefined) {
      findings.add('zone', { zone: zone.name, id }, 'its name is none')
      return undefined
    }
    const state = serviceState(zone, isMoving)
    const served = checkServedZone({ zone, apex, state }, targetsOf(zone.poolId), findings)
    return { zone, apex, state, served }
  }

  async #checkRows(zoneId: string): Promise<void> {
    const { store } = this.#options
    let look = await this.#lookAgain(zoneId)
    for (const page of rowPages(store, 'recordsets', { index: 'byZone', key: zoneId })) {
      for (const { id } of page) {
        if (this.#slice.isSpent) {
          await this.#slice.yield()
          look = await this.#lookAgain(zoneId)
        }
        if (look === undefined) return
        this.#checkRow(look, id)
      }
    }
  }

  #checkRow({ zone, apex, served }: Look, id: string): void {
    const { store } = this.#options
    const row = store.get('recordsets', id)
    if (row?.zoneId !== zone.id) return
    this.#counts.recordsetCount += 1
    const { rrset, problem } = rrsetOf(row, zone)
    if (problem !== undefined) this.#findings.add('recordset', subjectOf(row, zone), problem)
    const converted = { zone, apex, row, rrset }
    checkSound(store, converted, this.#findings)
    if (served !== undefined) checkServedRow(converted, served, this.#findings)
  }

  async #checkNames(zoneId: string): Promise<void> {
    const { store } = this.#options
    let look = await this.#lookAgain(zoneId)
    // The walk covers what the zone was answered from when the walk began.
    for (const name of look?.served?.names() ?? []) {
      if (look?.served === undefined) return
      const { zone, apex, served } = look
      checkServedName(store, { zone, apex, served, name }, this.#findings)
      this.#counts.nameCount += 1
      if (!this.#slice.isSpent) continue
      await this.#slice.yield()
      look = await this.#lookAgain(zoneId)
    }
  }

  /** Finds zones that are answered and not stored. */
  async #checkTable(): Promise<void> {
    let pools = this.#pools()
    for (const zone of this.#options.table.zones()) {
      if (this.#slice.isSpent) {
        await this.#slice.yield()
        pools = this.#pools()
      }
      this.#checkTableZone(zone, pools)
    }
  }

  #storedNamed(lowerName: string): readonly Zone[] {
    const { store } = this.#options
    return [
      ...store.list('zones', 'byLowerName', lowerName),
      ...store.list('zones', 'abandonedByLowerName', lowerName),
    ]
  }

  #pools(): readonly Pool[] {
    return [...this.#options.store.list('pools', 'all', everything)]
  }

  #checkTableZone(served: TableZone, pools: readonly Pool[]): void {
    const { targetsOf, isMoving } = this.#options
    const { apex } = served
    const name = formatName(apex)
    const stored = this.#storedNamed(name)
    const isWanted = ({ zones }: CheckedTarget): boolean =>
      stored.some(
        zone =>
          serviceState(zone, isMoving) !== 'absent' &&
          targetsOf(zone.poolId).some(target => target.zones === zones),
      )
    for (const target of distinct(pools.flatMap(({ id }) => targetsOf(id)))) {
      const isServed = target.zones.get(apex)?.ref === served.ref
      if (!isServed || isWanted(target)) continue
      const subject = { zone: name, target: target.name }
      this.#findings.add('served', subject, 'the zone is answered, and no such zone is stored')
    }
  }
}

function distinct(targets: readonly CheckedTarget[]): readonly CheckedTarget[] {
  return [...new Map(targets.map(target => [target.zones, target])).values()]
}
