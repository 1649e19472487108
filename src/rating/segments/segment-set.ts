import type { Month } from '../period.ts'
import type { Chunk } from './chunk.ts'
import type { Disk } from './disk.ts'
import { DamagedFileError } from './frame.ts'
import {
  emptyManifest,
  type Manifest,
  manifestName,
  readManifest,
  type SegmentEntry,
  writeManifest,
} from './manifest.ts'
import { Segment } from './segment.ts'
import { writeSegment } from './segment-writer.ts'

export const journalFolder = 'journal'

/** The segments that make up the store, and the manifest that says so. */
export class SegmentSet {
  readonly #disk: Disk
  readonly #folder: string
  #manifest: Manifest
  #nextFile: number
  readonly #segments = new Map<string, Segment>()
  #commits: Promise<unknown> = Promise.resolve()

  private constructor(disk: Disk, folder: string, manifest: Manifest) {
    this.#disk = disk
    this.#folder = folder
    this.#manifest = manifest
    this.#nextFile = manifest.nextFile
  }

  /** Opens the segments of a folder, or starts in an empty one. Files left over from a crash are removed.
   *  @throws DamagedFileError the manifest or a segment it names is missing or damaged */
  static async open(disk: Disk, folder: string): Promise<SegmentSet> {
    await disk.makeFolder(`${folder}/${journalFolder}`)
    const names = await disk.listFolder(folder)
    const months = names.filter(isMonth)
    const manifest = await readManifest(disk, folder)
    if (manifest === undefined) {
      const journals = await disk.listFolder(`${folder}/${journalFolder}`)
      if (months.length + journals.length > 0) {
        throw new DamagedFileError(`${folder} has usage data but no ${manifestName}`)
      }
      await writeManifest(disk, folder, emptyManifest)
    }
    const set = new SegmentSet(disk, folder, manifest ?? emptyManifest)
    const named = set.#manifest.segments.map(entry => entry.month)
    for (const month of new Set([...months, ...named])) await set.#cleanMonth(month)
    return set
  }

  get manifest(): Manifest {
    return this.#manifest
  }

  /** The file of an entry, to be read between `retain` and `release`. */
  segment(entry: SegmentEntry): Segment {
    const path = this.#pathOf(entry)
    const known = this.#segments.get(path)
    if (known !== undefined) return known
    const segment = new Segment(this.#disk, path)
    this.#segments.set(path, segment)
    return segment
  }

  /** Writes a segment and makes it durable; it is part of the store once it is committed. Undefined where there
   *  are no chunks. */
  async write(
    place: Pick<SegmentEntry, 'month' | 'generation'>,
    chunks: AsyncIterable<Chunk> | Iterable<Chunk>,
  ): Promise<SegmentEntry | undefined> {
    const file = `${String(this.#nextFile++).padStart(8, '0')}.segment`
    const folder = `${this.#folder}/${place.month}`
    await this.#disk.makeFolder(folder)
    const index = await writeSegment(this.#disk, `${folder}/${file}`, chunks)
    if (index.length === 0) {
      await this.#disk.removeFile(`${folder}/${file}`)
      return undefined
    }
    await this.#disk.syncFolder(folder)
    await this.#disk.syncFolder(this.#folder)
    return {
      ...place,
      file,
      pointCount: index.reduce((count, block) => count + block.pointCount, 0),
      span: {
        begin: Math.min(...index.map(block => block.span.begin)),
        end: Math.max(...index.map(block => block.span.end)),
      },
    }
  }

  /** Changes what the store consists of, after the changes before it. `onVisible` runs in the same step in which
   *  readers get to see the change. Segments that are no longer part of the store are removed when nobody reads
   *  them any more. */
  commit(
    change: (manifest: Manifest) => Omit<Manifest, 'nextFile'>,
    onVisible: () => void,
  ): Promise<void> {
    const commit = this.#commits.then(async () => {
      const before = this.#manifest
      const next = { ...change(before), nextFile: this.#nextFile }
      await writeManifest(this.#disk, this.#folder, next)
      this.#manifest = next
      onVisible()
      const files = new Set(next.segments.map(entry => entry.file))
      for (const entry of before.segments) {
        if (!files.has(entry.file)) await this.#retire(entry)
      }
    })
    this.#commits = commit.catch(() => undefined)
    return commit
  }

  async #retire(entry: SegmentEntry): Promise<void> {
    await this.segment(entry).retire()
    this.#segments.delete(this.#pathOf(entry))
  }

  async #cleanMonth(month: Month): Promise<void> {
    const folder = `${this.#folder}/${month}`
    const found = new Set(await this.#disk.listFolder(folder))
    const named = this.#manifest.segments.filter(entry => entry.month === month)
    for (const { file } of named) {
      if (!found.delete(file)) throw new DamagedFileError(`${folder}/${file} is missing`)
    }
    for (const file of found) await this.#disk.removeFile(`${folder}/${file}`)
    await this.#disk.removeFolder(folder)
  }

  #pathOf({ month, file }: SegmentEntry): string {
    return `${this.#folder}/${month}/${file}`
  }
}

function isMonth(name: string): boolean {
  return /^\d{4}-\d{2}$/.test(name)
}
