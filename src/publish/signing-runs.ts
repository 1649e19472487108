import { parseName } from '../dns/name.ts'
import type { SigningBatch } from '../dnssec/sign-batch.ts'
import { editsOf, SignatureMaker, signedEdits, type ToBeSigned } from '../dnssec/signed-edits.ts'
import { type PlannedName, SigningPlan } from '../dnssec/signing-plan.ts'
import type { Zone } from '../model/zone.ts'
import type { StoreReader } from '../store/store.ts'
import { TimeSlice } from '../time-slice.ts'
import { type Edit, StagedEdits } from '../zone/edits.ts'
import type { TableZone } from '../zone/table/table-zone.ts'
import type { ZoneTable } from '../zone/table/zone-table.ts'
import { placeholderSoa } from './staged-zones.ts'
import type { TableReclaim } from './table-reclaim.ts'
import type { ZoneEditor } from './zone-editor.ts'
import type { ZoneKeys } from './zone-keys.ts'

export type SigningRunsOptions = {
  readonly store: Pick<StoreReader, 'get'> & {
    packedRecordsets(zoneId: string): Iterable<Parameters<ZoneEditor['putStored']>[2]>
  }
  readonly table: ZoneTable
  readonly reclaim: TableReclaim
  readonly editor: ZoneEditor
  readonly zoneKeys: ZoneKeys
  /** Signs much, elsewhere. */
  readonly signBatch: (batch: SigningBatch) => Promise<readonly Uint8Array[]>
}

/** A zone that is being signed as a whole beside the one that is served. */
type Run = {
  readonly tableZone: TableZone
  /** What commits have changed since it was begun. */
  readonly noted: Edit[]
  /** Whether all of it is signed but for what is noted. */
  isSigned: boolean
  isOver: boolean
  readonly done: Promise<void>
}

/** Signatures that are made together. */
const batchSignatures = 256

/** Zones that are being signed as a whole, each beside the one that is served, which goes on changing meanwhile. */
export class SigningRuns {
  readonly #options: SigningRunsOptions
  readonly #runs = new Map<string, Run>()

  constructor(options: SigningRunsOptions) {
    this.#options = options
  }

  /** Begins to sign a zone, unless that is under way. `onSigned` is called once it is done, with the zone not served yet:
   *  `finish` gives it. */
  begin(
    zone: Zone,
    {
      onSigned,
      onFailed,
    }: {
      readonly onSigned: () => void
      readonly onFailed: (error: unknown) => void
    },
  ): Promise<void> {
    const known = this.#runs.get(zone.id)
    if (known !== undefined) return known.done
    const soa = { ...placeholderSoa, owner: parseName(zone.name) }
    const { promise, resolve } = Promise.withResolvers<void>()
    const tableZone = this.#options.table.createZone(soa)
    const run: Run = { tableZone, noted: [], isSigned: false, isOver: false, done: promise }
    this.#runs.set(zone.id, run)
    this.#sign(zone, run)
      .then(() => {
        if (!run.isOver) onSigned()
      })
      .catch((error: unknown) => {
        this.end(zone)
        onFailed(error)
      })
      .finally(resolve)
    return promise
  }

  /** Notes what a commit changes of a zone that is being signed. */
  note({ id }: Zone, edits: readonly Edit[]): void {
    const noted = this.#runs.get(id)?.noted
    for (const edit of edits) noted?.push(edit)
  }

  isUnderWay({ id }: Zone): boolean {
    return this.#runs.has(id)
  }

  /** Returns the signed zone, to be served at once, with all that was noted; undefined where it is not there yet.
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

  /** Forgets the zone that was signed, or is about to be; where it is served it goes on living. */
  end({ id }: Pick<Zone, 'id'>): void {
    const run = this.#runs.get(id)
    if (run === undefined) return
    run.isOver = true
    this.#runs.delete(id)
    this.#options.table.discard(run.tableZone)
    this.#options.reclaim.begin()
  }

  async #sign(zone: Zone, run: Run): Promise<void> {
    const { store, editor, zoneKeys } = this.#options
    const { tableZone } = run
    const slice = new TimeSlice()
    for (const record of store.packedRecordsets(zone.id)) {
      if (run.isOver) return
      editor.putStored(zone, tableZone, record)
      if (slice.isSpent) await slice.rest()
    }
    const terms = zoneKeys.termsOf(zone)
    const signers = [...new Set([...terms.keySigners, ...terms.zoneSigners])]
    const plan = new SigningPlan(tableZone, [], terms).names(tableZone.names())
    const maker = new SignatureMaker(tableZone, terms, { isSpread: true })
    let batch: { planned: PlannedName; parts: ToBeSigned[] }[] = []
    let count = 0
    const put = async () => {
      const all = batch.flatMap(({ parts }) => parts)
      const made = await this.#options.signBatch({
        privateKeys: signers.map(({ pkcs8 }) => pkcs8),
        data: all.map(({ data }) => data),
        by: all.map(({ signer }) => signers.indexOf(signer)),
      })
      if (run.isOver) return
      let at = 0
      for (const { planned, parts } of batch) {
        const edits = editsOf(planned, parts, made.slice(at, at + parts.length))
        editor.editName(zone, tableZone, { owner: planned.owner, edits, part: 'all' })
        at += parts.length
      }
      batch = []
      count = 0
    }
    for (const planned of plan) {
      if (slice.isSpent) await slice.rest()
      if (run.isOver) return
      if (planned === undefined) continue
      const parts = maker.toBeSigned(planned)
      batch.push({ planned, parts })
      count += parts.length
      if (count >= batchSignatures) await put()
    }
    await put()
    run.isSigned = !run.isOver
  }
}
