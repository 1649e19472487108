import type { CapturedFile } from '../../durable/captured-file.ts'
import { DamageError, damagedSuffix } from '../../durable/damage.ts'
import { makeDurableDirectory } from '../../durable/directories.ts'
import type { FileSystem } from '../../durable/file-system.ts'
import { Mutex } from '../../mutex.ts'
import type { Month } from '../period.ts'
import {
  emptyManifest,
  encodeManifest,
  type Manifest,
  manifestName,
  readManifest,
  type SegmentEntry,
  writeManifest,
} from './manifest.ts'
import { Segment } from './segment.ts'
import { type ChunksInOrder, type RankOf, totalsOf, writeSegment } from './segment-writer.ts'

export const journalFolder = 'journal'

/** A segment that is no part of the store yet: of which generation it will be is settled with that. */
export type WrittenSegment = Omit<SegmentEntry, 'generation'>

/** The segments of the store, and the manifest that names them. */
export class SegmentSet {
  readonly #files: FileSystem
  readonly #folder: string
  #manifest: Manifest
  #nextFile: number
  readonly #segments = new Map<string, Segment>()
  readonly #commits = new Mutex()

  private constructor(files: FileSystem, folder: string, manifest: Manifest) {
    this.#files = files
    this.#folder = folder
    this.#manifest = manifest
    this.#nextFile = manifest.nextFile
  }

  /** Reads which segments there are; none in an empty folder. Changes nothing.
   *  @throws DamageError the manifest or a segment it names is missing or damaged */
  static async open(files: FileSystem, folder: string): Promise<SegmentSet> {
    const months = (await files.list(folder)).filter(isMonth)
    const manifest = await readManifest(files, folder)
    if (manifest === undefined) {
      const journals = await files.list(`${folder}/${journalFolder}`)
      if (months.length + journals.length > 0) {
        const problem = 'it is missing beside usage data'
        throw new DamageError(`${folder}/${manifestName}`, { problem })
      }
    }
    const set = new SegmentSet(files, folder, manifest ?? emptyManifest)
    await set.#requireSegments()
    return set
  }

  /** Prepares the folder for writing: creates it and its manifest where missing, and removes what a crash left over. Can
   *  be repeated after a failure. */
  async settle(): Promise<void> {
    await makeDurableDirectory(this.#files, `${this.#folder}/${journalFolder}`)
    if ((await readManifest(this.#files, this.#folder)) === undefined)
      await writeManifest(this.#files, this.#folder, this.#manifest)
    for (const month of (await this.#files.list(this.#folder)).filter(isMonth))
      await this.#cleanMonth(month)
  }

  get manifest(): Manifest {
    return this.#manifest
  }

  /** The manifest and the segments that it names. */
  capture(): readonly CapturedFile[] {
    const path = `${this.#folder}/${manifestName}`
    const segments = this.#manifest.segments.map(entry => ({ path: this.#pathOf(entry) }))
    return [{ path, content: encodeManifest(this.#manifest) }, ...segments]
  }

  /** The file of an entry, to be read between `retain` and `release`. */
  segment(entry: SegmentEntry): Segment {
    const path = this.#pathOf(entry)
    const known = this.#segments.get(path)
    if (known !== undefined) return known
    const segment = new Segment(this.#files, path, entry)
    this.#segments.set(path, segment)
    return segment
  }

  /** Writes a segment and makes it durable; it is part of the store once it is committed. Undefined where there
   *  are no chunks. */
  async write(
    month: Month,
    chunks: ChunksInOrder,
    rankOf?: RankOf,
  ): Promise<WrittenSegment | undefined> {
    const file = `${String(this.#nextFile++).padStart(8, '0')}.segment`
    const folder = `${this.#folder}/${month}`
    await this.#files.makeDirectory(folder)
    const index = await writeSegment(this.#files, `${folder}/${file}`, chunks, rankOf)
    if (index.length === 0) return undefined
    await this.#files.syncDirectory(folder)
    await this.#files.syncDirectory(this.#folder)
    return { month, file, ...totalsOf(index) }
  }

  /** Changes the set of segments, after earlier changes. `onVisible` runs in the step in which readers see the change.
   *  Segments that are no longer part of the store are removed after their last reader. */
  commit(
    change: (manifest: Manifest) => Omit<Manifest, 'nextFile'>,
    onVisible: () => void,
  ): Promise<void> {
    return this.#commits.run(async () => {
      const before = this.#manifest
      const next = { ...change(before), nextFile: this.#nextFile }
      await writeManifest(this.#files, this.#folder, next)
      this.#manifest = next
      onVisible()
      const files = new Set(next.segments.map(entry => entry.file))
      for (const entry of before.segments) {
        // A file that cannot be removed now is removed by the next start.
        if (!files.has(entry.file)) await this.#retire(entry).catch(() => undefined)
      }
    })
  }

  async #retire(entry: SegmentEntry): Promise<void> {
    await this.segment(entry).retire()
    this.#segments.delete(this.#pathOf(entry))
  }

  /** Removes segments that were written and will not be part of the store. */
  async discard(entries: readonly WrittenSegment[]): Promise<void> {
    for (const entry of entries) await this.#files.remove(this.#pathOf(entry))
  }

  async #requireSegments(): Promise<void> {
    for (const [month, entries] of Map.groupBy(this.#manifest.segments, ({ month }) => month)) {
      const found = new Set(await this.#files.list(`${this.#folder}/${month}`))
      for (const entry of entries) {
        if (!found.has(entry.file))
          throw new DamageError(this.#pathOf(entry), { problem: 'it is missing' })
      }
    }
  }

  async #cleanMonth(month: Month): Promise<void> {
    const folder = `${this.#folder}/${month}`
    const ofMonth = this.#manifest.segments.filter(entry => entry.month === month)
    const named = new Set(ofMonth.map(({ file }) => file))
    for (const file of await this.#files.list(folder)) {
      const isKept = named.has(file) || file.endsWith(damagedSuffix)
      if (!isKept) await this.#files.remove(`${folder}/${file}`)
    }
    await this.#files.removeEmptyDirectory(folder)
  }

  #pathOf({ month, file }: WrittenSegment): string {
    return `${this.#folder}/${month}/${file}`
  }
}

function isMonth(name: string): boolean {
  return /^\d{4}-\d{2}$/.test(name)
}
