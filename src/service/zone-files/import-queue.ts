import { ApiError } from '../../errors.ts'
import { Semaphore } from '../../semaphore.ts'

export type ImportQueueLimits = {
  /** Characters of all files that are running or waiting. */
  readonly maxCharacters: number
  /** The same of one project. */
  readonly maxProjectCharacters: number
  /** Files of one project, however small. */
  readonly maxProjectFiles: number
}

const mebi = 1024 * 1024

const defaultLimits: ImportQueueLimits = {
  maxCharacters: 256 * mebi,
  maxProjectCharacters: 64 * mebi,
  maxProjectFiles: 100,
}

/** Files up to this size wait only for each other, so that a zone of a few lines is imported at once. */
const maxShortCharacters = mebi / 4

/** Files that wait for their import: one long and one short at a time, projects in turn, within the limits of a project and of
 *  the server. */
export class ImportQueue {
  readonly #limits: ImportQueueLimits
  readonly #short = new Semaphore({ maxRunning: 1 })
  readonly #long = new Semaphore({ maxRunning: 1 })
  readonly #heldByProject = new Map<string, Held>()
  #heldCharacters = 0

  constructor(limits: Partial<ImportQueueLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits }
  }

  /** Reserves room for a file until the returned function is called.
   *  @throws ApiError too_many_requests */
  hold(projectId: string, characters: number): () => void {
    this.requireRoom(projectId, characters)
    this.#change(projectId, { files: 1, characters })
    return () => this.#change(projectId, { files: -1, characters: -characters })
  }

  /** @throws ApiError too_many_requests */
  requireRoom(projectId: string, characters: number): void {
    const held = this.#heldByProject.get(projectId) ?? { files: 0, characters: 0 }
    const { maxCharacters, maxProjectCharacters, maxProjectFiles } = this.#limits
    const isOfProject =
      held.files >= maxProjectFiles || held.characters + characters > maxProjectCharacters
    if (!isOfProject && this.#heldCharacters + characters <= maxCharacters) return
    const whose = isOfProject ? ' of this project' : ''
    const message = `Too many zone files${whose} wait to be imported`
    throw new ApiError('too_many_requests', message, { retryAfterSeconds: 10 })
  }

  /** Runs the import of a file when it is its turn. */
  run(projectId: string, characters: number, task: () => Promise<void>): Promise<void> {
    const semaphore = characters <= maxShortCharacters ? this.#short : this.#long
    return semaphore.run(projectId, task)
  }

  #change(projectId: string, by: Held): void {
    const held = this.#heldByProject.get(projectId) ?? { files: 0, characters: 0 }
    const files = held.files + by.files
    this.#heldCharacters += by.characters
    if (files === 0) this.#heldByProject.delete(projectId)
    else this.#heldByProject.set(projectId, { files, characters: held.characters + by.characters })
  }
}

type Held = { readonly files: number; readonly characters: number }
