import { DamageError } from '../../src/durable/damage.ts'
import { commitLogOver } from '../../src/store/commit-log.ts'
import {
  type LowdbStore,
  type LowdbStoreOptions,
  openLowdbStore,
} from '../../src/store/lowdb-store.ts'
import type { Transaction } from '../../src/store/store.ts'
import { fakeClock } from './clock.ts'
import { type CrashPicture, defectsOf, type PictureOptions, picturesOf } from './crash-pictures.ts'
import { Dice } from './dice.ts'
import { allLost, type DiskOperation, nothingLost, SimulatedDisk } from './simulated-disk.ts'
import { StoreModel, storeText } from './store-model.ts'
import { uuidOf, zoneRow } from './store-rows.ts'

// Runs a script over a store once, and takes a picture of what a crash would leave at every single change of
// the disk. Each picture must then open to the state after some commit: no acknowledged commit is missing, none is
// partial; and the store in it must continue to work.

const directory = '/srv/store'

/** The options of a script's store, beside its disk. */
type StoreOptions = Partial<LowdbStoreOptions>

/** Opens the store on a disk. It merges the segments of every few checkpoints. */
export function openIn(files: SimulatedDisk, options: StoreOptions = {}): Promise<LowdbStore> {
  return openLowdbStore({ directory, clock: fakeClock(), files, mergedAtLeast: 3, ...options })
}

/** The actions of a script on its store. */
export class CrashScript {
  readonly disk = new SimulatedDisk()
  readonly #options: StoreOptions
  readonly #beforeChange: (operation: DiskOperation) => void
  #model = new StoreModel()
  #store: LowdbStore | undefined
  /** The state behind each commit so far, the empty one first. */
  readonly states: string[] = ['']
  /** Pictures are only taken while this is set. */
  isWatched = true

  constructor(options: StoreOptions, beforeChange: (operation: DiskOperation) => void) {
    this.#options = options
    this.#beforeChange = beforeChange
  }

  get store(): LowdbStore {
    if (this.#store === undefined) throw new Error('the store is not open')
    return this.#store
  }

  /** Starts the store. After an earlier start: as if that process was killed, on the data that the system still has,
   *  synced or not. */
  async start(): Promise<void> {
    this.disk.before = this.#beforeChange
    const store = await openIn(this.disk, this.#options)
    this.#store = store
    const text = storeText(store)
    if (text !== this.states.at(-1)) this.states.push(text)
    this.#model = StoreModel.of(store)
    store.setCommitListener(commit => {
      this.#model.apply(commit)
      this.states.push(this.#model.text)
    })
  }

  commit(change: (tx: Transaction) => void): Promise<void> {
    return this.store.commit(change)
  }

  /** Performs an action that must fail when certain changes of the disk fail. */
  async failing(
    isFailing: (operation: DiskOperation) => boolean,
    work: () => Promise<void>,
  ): Promise<void> {
    this.disk.before = operation => {
      this.#beforeChange(operation)
      if (isFailing(operation)) throw new Error('the disk is in trouble')
    }
    const error = await work().catch((error: unknown) => error)
    if (error === undefined) throw new Error('nothing has failed')
    this.disk.before = this.#beforeChange
  }
}

type Picture = CrashPicture & { readonly open: (disk: SimulatedDisk) => Promise<LowdbStore> }

export type CrashOptions = Pick<PictureOptions, 'stride' | 'seed'> & {
  readonly mergedAtLeast?: number
  readonly historyOctets?: number
  /** Whether the log is the copy of one that is elsewhere, and its end may be lost. */
  readonly isCopy?: boolean
  /** Looks at each picture: undefined, or what is wrong with it. */
  readonly look?: (picture: Picture, states: readonly string[]) => Promise<string | undefined>
}

/** Runs the script and returns the faults of the pictures, and their number. */
export async function crashEverywhere(
  run: (script: CrashScript) => Promise<void>,
  { mergedAtLeast = 2, historyOctets = 0, isCopy, look, ...options }: CrashOptions = {},
): Promise<{ readonly defects: readonly string[]; readonly pictureCount: number }> {
  const stored = { mergedAtLeast, historyOctets, ...(isCopy && { shareLog: commitLogOver }) }
  const open = (disk: SimulatedDisk) => openIn(disk, stored)
  const script = new CrashScript(stored, operation => before(operation))
  const { pictures, before } = picturesOf(script.disk, {
    ...options,
    acknowledged: () => (isCopy ? 0 : script.states.length - 1),
    isWatched: () => script.isWatched,
  })
  await script.start()
  await run(script)
  const lookAt = (picture: CrashPicture) =>
    (look ?? (isCopy ? isSound : goesOn))({ ...picture, open }, script.states)
  return { defects: await defectsOf(pictures, lookAt), pictureCount: pictures.length }
}

/** The fault of the store in a picture, now or after more work, more checkpoints and more crashes. */
async function goesOn(
  { disk, acknowledged, open }: Picture,
  states: readonly string[],
): Promise<string | undefined> {
  const store = await open(disk)
  const loss = lossOf(storeText(store), states, acknowledged)
  if (loss !== undefined) return loss
  const lsns = await historyOf(store)
  if (!isRunTo(lsns, store.lastLsn)) return `the history is ${lsns}, up to ${store.lastLsn}`
  const zone = zoneRow({ id: uuidOf(999_999), name: 'after.example.' })
  // Leftovers of recovery show after two checkpoints: the second drops what the first no longer needs.
  for (const version of [1, 2, 3]) {
    await store.checkpoint()
    await store.commit(tx => tx.put('zones', { ...zone, version }))
  }
  const expected = storeText(store)
  const reopened = await open(disk.after(allLost))
  if (storeText(reopened) !== expected) return 'a second crash lost something'
  await reopened.checkpoint()
  const again = await open(disk.after(nothingLost))
  return storeText(again) === expected ? undefined : 'a second checkpoint lost something'
}

/** The fault of the copy in a picture: it may have lost its end, and must continue from there. */
async function isSound({ disk, open }: Picture, states: readonly string[]) {
  const store = await open(disk)
  const loss = lossOf(storeText(store), states, 0)
  if (loss !== undefined) return loss
  const lsns = await historyOf(store)
  if (!isRunTo(lsns, store.lastLsn)) return `the history is ${lsns}, up to ${store.lastLsn}`
  const zone = zoneRow({ id: uuidOf(999_999), name: 'after.example.' })
  await store.commit(tx => tx.put('zones', zone))
  const expected = storeText(store)
  const again = await open(disk.afterKill())
  return storeText(again) === expected ? undefined : 'what was written behind a crash is lost'
}

async function historyOf(store: LowdbStore): Promise<readonly number[]> {
  const lsns: number[] = []
  for await (const { lsn } of store.history(0)) lsns.push(lsn)
  return lsns
}

/** Whether numbers follow each other without gaps, up to the last. */
function isRunTo(lsns: readonly number[], lastLsn: number): boolean {
  return lsns.every((lsn, i) => lsn === lastLsn - (lsns.length - 1 - i))
}

/** A look that first makes one document or segment unreadable: the store that opens must still have lost nothing. */
export function withDamage(seed: number): NonNullable<CrashOptions['look']> {
  const dice = new Dice(seed)
  return async ({ disk, acknowledged, open }, states) => {
    const documents = disk.paths.filter(path => /\.(?:json|segment)$/.test(path))
    if (documents.length === 0) return undefined
    disk.damage(dice.pick(documents), octets => octets.subarray(1))
    try {
      return lossOf(storeText(await open(disk)), states, acknowledged)
    } catch (error) {
      return error instanceof DamageError ? undefined : String(error)
    }
  }
}

function lossOf(text: string, states: readonly string[], visibleCount: number): string | undefined {
  if (states.includes(text, visibleCount)) return undefined
  const earlier = states.indexOf(text)
  if (earlier < 0) return 'the state is that behind no commit'
  return `${visibleCount - earlier} commits are lost`
}
