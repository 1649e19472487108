import fc from 'fast-check'
import t from 'tap'
import { packRun } from '../../src/model/recordset-run.ts'
import type { LowdbStore } from '../../src/store/lowdb-store.ts'
import type { Transaction } from '../../src/store/store.ts'
import { openIn } from '../helpers/crash-points.ts'
import { depth } from '../helpers/depth.ts'
import { Dice } from '../helpers/dice.ts'
import { allLost, nothingLost, SimulatedDisk, someLost } from '../helpers/simulated-disk.ts'
import { StoreModel, storeText } from '../helpers/store-model.ts'
import { recordsetRow, uuidOf, zoneRow } from '../helpers/store-rows.ts'

// Segments, documents, journal and memory, whatever is done in whatever order, hold what a plain model does.

/** Small, so that segments are merged all the time. */
const mergedAtLeast = 3

type Step =
  | { readonly kind: 'commit'; readonly edits: readonly Edit[] }
  | { readonly kind: 'batch'; readonly edits: readonly Edit[] }
  | { readonly kind: 'checkpoint' | 'during checkpoint' | 'close' | 'kill' | 'power loss' }

type Edit = { readonly zone: number; readonly recordset: number; readonly isDelete: boolean }

const edit = fc.record({
  zone: fc.integer({ min: 0, max: 2 }),
  recordset: fc.integer({ min: 0, max: 60 }),
  isDelete: fc.boolean(),
})
const edits = fc.array(edit, { minLength: 1, maxLength: 12 })

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: edits.map(edits => ({ kind: 'commit' as const, edits })) },
  { weight: 2, arbitrary: edits.map(edits => ({ kind: 'batch' as const, edits })) },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom('checkpoint', 'during checkpoint', 'close', 'kill', 'power loss')
      .map(kind => ({ kind }) as Step),
  },
)

/** Whether a record set comes packed when it is new. */
const isPacked = (recordset: number) => recordset % 3 === 0

/** Record set 0 stands for the zone itself: deleted with all in it, or put. */
function apply(tx: Transaction, { zone, recordset, isDelete }: Edit): void {
  const zoneId = uuidOf(1000 + zone)
  const id = uuidOf(zone * 100 + recordset)
  if (recordset === 0 && isDelete) {
    for (const row of tx.list('recordsets', 'byZone', zoneId)) tx.delete('recordsets', row.id)
    tx.delete('zones', zoneId)
    return
  }
  const version = (tx.get('zones', zoneId)?.version ?? 0) + 1
  tx.put('zones', zoneRow({ id: zoneId, createdAt: 1 + zone, version, name: `zone${zone}.` }))
  if (recordset === 0) return
  if (isDelete) tx.delete('recordsets', id)
  else {
    const existing = tx.get('recordsets', id)
    const createdAt = existing?.createdAt ?? tx.atMicros
    const name = `host${recordset}.zone${zone}.`
    const row = recordsetRow({ id, zoneId, createdAt, version, name })
    if (existing === undefined && isPacked(recordset)) tx.insertRecordsets(packRun([row]))
    else tx.put('recordsets', row)
  }
}

class Run {
  #disk = new SimulatedDisk()
  #store: LowdbStore | undefined
  readonly #model = new StoreModel()
  readonly #dice: Dice

  constructor(seed: number) {
    this.#dice = new Dice(seed)
  }

  async open(disk: SimulatedDisk): Promise<void> {
    this.#disk = disk
    this.#store = await openIn(disk, { mergedAtLeast })
    this.#store.setCommitListener(commit => void this.#model.apply(commit))
  }

  async do(step: Step): Promise<void> {
    const store = this.#store as LowdbStore
    switch (step.kind) {
      case 'commit':
        await store.commit(tx => {
          for (const edit of step.edits) apply(tx, edit)
        })
        break
      case 'batch':
        await this.#commitEach(step.edits)
        break
      case 'checkpoint':
        await store.checkpoint()
        break
      case 'during checkpoint': {
        const checkpoint = store.checkpoint()
        await this.#commitEach([1, 2, 3].map(i => ({ zone: i % 2, recordset: i, isDelete: false })))
        await checkpoint
        break
      }
      case 'close':
        await store.close()
        await this.open(this.#disk)
        break
      case 'kill':
        await this.open(this.#disk.after(nothingLost))
        break
      case 'power loss':
        await this.open(this.#disk.after(this.#dice.pick([allLost, someLost(this.#dice, 2)])))
        break
    }
  }

  get isRight(): boolean {
    return storeText(this.#store as LowdbStore) === this.#model.text
  }

  async #commitEach(edits: readonly Edit[]): Promise<void> {
    const store = this.#store as LowdbStore
    await Promise.all(edits.map(edit => store.commit(tx => apply(tx, edit))))
  }
}

t.test('commits, checkpoints and restarts in any order leave what a plain model has', async t => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40, size: 'max' }),
      fc.nat(),
      async (steps, seed) => {
        const run = new Run(seed)
        await run.open(new SimulatedDisk())
        for (const step of [...steps, { kind: 'power loss' } as const]) {
          await run.do(step)
          if (!run.isRight) return false
        }
        return true
      },
    ),
    { numRuns: 40 * depth },
  )
  t.pass()
})
