import { ApiError } from '../../errors.ts'
import { Semaphore } from '../../semaphore.ts'

const mebi = 1024 * 1024

const defaultLimits = {
  /** Octets of all files that are running or waiting. */
  maxOctets: 256 * mebi,
  /** The same of one project. */
  maxProjectOctets: 64 * mebi,
  /** Files of one project, however small. */
  maxProjectFiles: 100,
}

type ImportQueueLimits = Readonly<typeof defaultLimits>

/** Files up to this size wait only for each other, so that a zone of a few lines is imported at once. */
const maxShortOctets = mebi / 4

/** Files that wait for their import: one long and one short at a time, projects in turn, within the limits of a project and of
 *  the server. */
export class ImportQueue {
  readonly #limits: ImportQueueLimits
  readonly #short = new Semaphore({ maxRunning: 1 })
  readonly #long = new Semaphore({ maxRunning: 1 })
  readonly #heldByProject = new Map<string, Held>()
  #heldOctets = 0

  constructor(limits: Partial<ImportQueueLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits }
  }

  /** Reserves room for a file until the returned function is called.
   *  @throws ApiError too_many_requests */
  hold(projectId: string, octets: number): () => void {
    this.requireRoom(projectId, octets)
    this.#change(projectId, { files: 1, octets })
    return () => this.#change(projectId, { files: -1, octets: -octets })
  }

  /** @throws ApiError too_many_requests */
  requireRoom(projectId: string, octets: number): void {
    const held = this.#heldByProject.get(projectId) ?? { files: 0, octets: 0 }
    const { maxOctets, maxProjectOctets, maxProjectFiles } = this.#limits
    const isOfProject = held.files >= maxProjectFiles || held.octets + octets > maxProjectOctets
    if (!isOfProject && this.#heldOctets + octets <= maxOctets) return
    const whose = isOfProject ? ' of this project' : ''
    const message = `Too many zone files${whose} wait to be imported`
    throw new ApiError('too_many_requests', message, { retryAfterSeconds: 10 })
  }

  /** Runs the import of a file when it is its turn. */
  run(projectId: string, octets: number, task: () => Promise<void>): Promise<void> {
    const semaphore = octets <= maxShortOctets ? this.#short : this.#long
    return semaphore.run(projectId, task)
  }

  #change(projectId: string, by: Held): void {
    const held = this.#heldByProject.get(projectId) ?? { files: 0, octets: 0 }
    const files = held.files + by.files
    this.#heldOctets += by.octets
    if (files === 0) this.#heldByProject.delete(projectId)
    else this.#heldByProject.set(projectId, { files, octets: held.octets + by.octets })
  }
}

type Held = { readonly files: number; readonly octets: number }
