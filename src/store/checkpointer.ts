import { dirname } from 'node:path'
import { CheckpointPass, CheckpointStopped, type PassOptions } from './checkpoint-pass.ts'
import type { DirtyDocuments, DocumentsToWrite } from './dirty-documents.ts'
import { everything } from './indexes.ts'
import type { Journal } from './journal.ts'
import type { DocumentKey } from './layout.ts'
import { type Manifest, writeManifest, type ZoneList } from './manifest.ts'
import type { Commit } from './store.ts'

// A checkpoint writes every document that has changed since the last one, then the manifest, and then drops
// the journal that is no longer needed. It may be interrupted anywhere: until the manifest is replaced,
// recovery starts from the old one and finds all of the journal behind it.

export type CheckpointerOptions = Omit<PassOptions, 'isStopping'> & {
  readonly journal: Journal
  /** The one on disk. */
  readonly manifest: Manifest
  readonly lastAtMicros: number
  /** What is behind the rows already. */
  readonly dirty: DirtyDocuments
  readonly obsoletePaths: readonly string[]
}

/** Journaled octets after which a checkpoint pays, for the sake of the next start, which reads them. */
const minJournalOctets = 16 * 1024 * 1024
/** And with which it is due however much it has to write: a start reads about 50 MB a second. */
const maxJournalOctets = 256 * 1024 * 1024

/** Writes what is dirty in the background. */
export class Checkpointer {
  readonly #options: CheckpointerOptions
  #manifest: Omit<Manifest, 'format'>
  #obsoletePaths: readonly string[]
  #lastAtMicros: number
  /** Octets of documents that the last checkpoint wrote; the next is likely to write as many. */
  #writtenOctets = 0
  #running: Promise<void> | undefined
  #isStopping = false

  constructor(options: CheckpointerOptions) {
    this.#options = options
    this.#manifest = options.manifest
    this.#lastAtMicros = options.lastAtMicros
    this.#obsoletePaths = options.obsoletePaths
  }

  /** Documents that a checkpoint would write now. */
  get dirtyCount(): number {
    return this.#options.dirty.size
  }

  /** Whether so much has been journaled that it should be read no more at a start. Changes all over a large
   *  store make every checkpoint write all of it, so half of what the last one wrote has to be journaled first:
   *  then each octet journaled costs two more of documents at most. */
  get isDue(): boolean {
    const octets = Math.max(minJournalOctets, this.#writtenOctets / 2)
    return this.#options.journal.octetCount >= Math.min(octets, maxJournalOctets)
  }

  /** Notes what a commit makes stale. */
  note({ changes, atMicros }: Pick<Commit, 'changes' | 'atMicros'>): void {
    this.#lastAtMicros = atMicros
    this.#options.dirty.note(changes)
  }

  /** Writes a checkpoint; one that is under way is waited for instead. After a failure everything is as
   *  dirty as before and the journal still has it. */
  run(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Gives up a checkpoint that is under way, at its next step. Resolves when nothing is written any more. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.allSettled([this.#running])
    this.#isStopping = false
  }

  async #run(): Promise<void> {
    const { dirty } = this.#options
    if (dirty.size === 0) return
    const documents = dirty.take()
    try {
      await this.#write(documents)
    } catch (error) {
      dirty.putBack(documents)
      if (!(error instanceof CheckpointStopped)) throw error
    }
  }

  async #write({ keys, haveZonesChanged }: DocumentsToWrite): Promise<void> {
    const { files, directory, journal, visibleLsn } = this.#options
    const manifest = this.#nextManifest(keys, visibleLsn())
    // As of now: a zone made while the checkpoint runs gets its document with the next.
    const zoneList = haveZonesChanged ? this.#zoneList(manifest._lsn) : undefined
    journal.rotate()
    const pass = new CheckpointPass({ ...this.#options, isStopping: () => this.#isStopping })
    await this.#removeObsolete(pass)
    try {
      await pass.writeAll(keys)
      await pass.syncDirectories()
      // Behind the documents: whatever it lists has to be there.
      if (zoneList !== undefined) await pass.writeZoneList(zoneList)
      await writeManifest(files, directory, manifest)
    } catch (error) {
      pass.takeBack()
      throw error
    } finally {
      this.#obsoletePaths = pass.obsoletePaths
    }
    this.#writtenOctets = pass.octetCount
    this.#manifest = manifest
    await journal.dropThrough(manifest.previousLsn)
  }

  /** Removes what earlier checkpoints have replaced. What took its place is safe on the disk before; and the
   *  removal is, before the manifest says that the journal begins later: an old generation that came back
   *  would be completed with a journal that does not reach back to it. */
  async #removeObsolete(pass: CheckpointPass): Promise<void> {
    const { files } = this.#options
    const parents = new Set(this.#obsoletePaths.map(path => dirname(path)))
    for (const parent of parents) {
      pass.throwIfStopping()
      await files.syncDirectory(parent)
    }
    for (const path of this.#obsoletePaths) {
      pass.throwIfStopping()
      await files.remove(path)
    }
    for (const parent of parents) pass.noteDirectory(parent)
    this.#obsoletePaths = []
  }

  #zoneList(lsn: number): ZoneList {
    const zones = this.#options.tables.list('zones', 'all', everything)
    return { _lsn: lsn, ids: Array.from(zones, ({ id }) => id) }
  }

  #nextManifest(keys: readonly DocumentKey[], lsn: number): Omit<Manifest, 'format'> {
    const { _lsn: previousLsn, collections } = this.#manifest
    const written = keys.flatMap(key => (key.kind === 'system' ? [key.collection] : []))
    return {
      _lsn: lsn,
      previousLsn,
      atMicros: this.#lastAtMicros,
      collections: [...new Set([...collections, ...written])].sort(),
    }
  }
}
