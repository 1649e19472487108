import type { SigningBatch } from '../dnssec/sign-batch.ts'
import { signedEdits } from '../dnssec/signed-edits.ts'
import { SigningPlan } from '../dnssec/signing-plan.ts'
import type { SigningTerms } from '../dnssec/signing-terms.ts'
import { signWholeZone } from '../dnssec/whole-zone.ts'
import type { Zone } from '../model/zone.ts'
import { Semaphore } from '../semaphore.ts'
import type { Store } from '../store/store.ts'
import { TimeSlice } from '../time-slice.ts'
import { type Edit, StagedEdits } from '../zone/edits.ts'
import type { TableZone } from '../zone/table/table-zone.ts'
import type { ZoneTable } from '../zone/table/zone-table.ts'
import { emptyZone } from './staged-zones.ts'
import type { TableReclaim } from './table-reclaim.ts'
import type { ZoneEditor } from './zone-editor.ts'
import type { ZoneKeys } from './zone-keys.ts'

export type SigningRunsOptions = {
  readonly store: Store
  readonly table: ZoneTable
  readonly reclaim: TableReclaim
  readonly editor: ZoneEditor
  readonly zoneKeys: ZoneKeys
  /** Signs large batches of a project elsewhere. */
  readonly signBatch: (batch: SigningBatch, projectId: string) => Promise<readonly Uint8Array[]>
  readonly onFailed: (zone: Zone, error: unknown) => void
}

/** A zone that is being signed as a whole beside the served one. */
type Run = {
  readonly tableZone: TableZone
  /** The changes of commits since the run began. */
  readonly noted: Edit[]
  /** Whether all of it is signed except for what is noted. */
  isSigned: boolean
  isOver: boolean
  readonly done: Promise<void>
}

/** Zones that are being signed as a whole, each beside the one that is served, which goes on changing meanwhile. */
export class SigningRuns {
  readonly #options: SigningRunsOptions
  readonly #onSigned: (zone: Zone) => void
  readonly #runs = new Map<string, Run>()
  /** A project with many zones to sign does not delay those of other projects. */
  readonly #turns = new Semaphore({ maxRunning: 4, maxRunningPerKey: 2 })

  /** @param onSigned called once a zone is signed, before it is served: `finish` returns it */
  constructor(options: SigningRunsOptions, onSigned: (zone: Zone) => void) {
    this.#options = options
    this.#onSigned = onSigned
  }

  /** Begins to sign a zone, unless that is under way; resolves once that has ended. */
  begin(zone: Zone): Promise<void> {
    const known = this.#runs.get(zone.id)
    if (known !== undefined) return known.done
    const { promise, resolve } = Promise.withResolvers<void>()
    const tableZone = emptyZone(this.#options.table, zone)
    const run: Run = { tableZone, noted: [], isSigned: false, isOver: false, done: promise }
    this.#runs.set(zone.id, run)
    this.#turns
      .run(zone.projectId, () => this.#sign(zone, run))
      .then(() => {
        if (!run.isOver) this.#onSigned(zone)
      })
      .catch((error: unknown) => {
        if (run.isOver) return
        this.end(zone)
        this.#options.onFailed(zone, error)
      })
      .finally(resolve)
    return promise
  }

  /** Notes what a commit changes of a zone that is being signed. */
  note({ id }: Zone, edits: readonly Edit[]): void {
    const noted = this.#runs.get(id)?.noted
    for (const edit of edits) noted?.push(edit)
  }

  isUnderWay({ id }: Pick<Zone, 'id'>): boolean {
    return this.#runs.has(id)
  }

  /** Returns the signed zone with all noted edits, to be served at once; undefined if it is not ready yet.
   *  @throws Error the key cannot be read */
  finish(zone: Zone): TableZone | undefined {
    const run = this.#runs.get(zone.id)
    if (run?.isSigned !== true) return undefined
    const { editor, zoneKeys } = this.#options
    const { tableZone, noted } = run
    const edits = new StagedEdits(tableZone, 'small')
    for (const edit of signedEdits(tableZone, noted, zoneKeys.termsOf(zone))) {
      if (edit !== undefined) edits.put(edit)
    }
    for (const ofName of edits.inOrder()) editor.editName(zone, tableZone, ofName)
    return tableZone
  }

  /** Forgets the zone that was signed, or is about to be; if it is already served, it stays. */
  end({ id }: Pick<Zone, 'id'>): void {
    const run = this.#runs.get(id)
    if (run === undefined) return
    run.isOver = true
    this.#runs.delete(id)
    this.#options.table.discard(run.tableZone)
    this.#options.reclaim.begin()
  }

  /** Ends all of them. */
  close(): void {
    for (const id of [...this.#runs.keys()]) this.end({ id })
  }

  /** Makes a zone with all that the signed zone has except the signatures. */
  async link(zone: Zone, terms: SigningTerms): Promise<TableZone> {
    const { store, editor, table } = this.#options
    const tableZone = emptyZone(table, zone)
    const slice = new TimeSlice()
    for (const record of store.packedRecordsets(zone.id)) {
      editor.putStored(zone, tableZone, record)
      if (slice.isSpent) await slice.yield()
    }
    for (const planned of new SigningPlan(tableZone, [], terms).names(tableZone.names())) {
      if (slice.isSpent) await slice.yield()
      if (planned !== undefined) editor.editName(zone, tableZone, { ...planned, part: 'all' })
    }
    return tableZone
  }

  async #sign(zone: Zone, run: Run): Promise<void> {
    const { store, editor, zoneKeys } = this.#options
    const { tableZone } = run
    const slice = new TimeSlice()
    if (run.isOver) return
    for (const record of store.packedRecordsets(zone.id)) {
      if (run.isOver) return
      editor.putStored(zone, tableZone, record)
      if (slice.isSpent) await slice.yield()
    }
    run.isSigned = await signWholeZone(tableZone, zoneKeys.termsOf(zone), {
      signBatch: batch => this.#options.signBatch(batch, zone.projectId),
      put: (owner, edits) => editor.editName(zone, tableZone, { owner, edits, part: 'all' }),
      goOn: () => {
        if (run.isOver || !slice.isSpent) return !run.isOver
        return slice.yield().then(() => !run.isOver)
      },
    })
  }
}
