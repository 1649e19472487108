import { ApiError } from '../../errors.ts'

const mebibyte = 1024 * 1024
/** More than the largest zone file: as much as one project may have on its way in. */
const maxOctetsEach = 64 * mebibyte
/** A body weighs up to four times its octets while it is read and parsed. */
const maxOctets = 256 * mebibyte
const retryAfterSeconds = 1

/** What a long body takes up until it is released. */
export type HeldBody = {
  /** Counts octets that have arrived.
   *  @throws ApiError too_many_requests long bodies of this project, or of all, take up too much */
  add(octets: number): void
  release(): void
}

/** Bounds what bodies of more than the usual length take up at one time, by project and in all: zone files and the like are
 *  bounded as they wait in line, but one that is still arriving waits in none. Bodies of the usual length are not counted,
 *  so nobody who sends those is ever refused for what others send. */
export class BodyMemory {
  readonly #heldByProject = new Map<string, number>()
  readonly #bounds: { readonly each: number; readonly all: number }
  #held = 0

  constructor(bounds = { each: maxOctetsEach, all: maxOctets }) {
    this.#bounds = bounds
  }

  open(projectId: string): HeldBody {
    let octetCount = 0
    return {
      add: octets => {
        const held = (this.#heldByProject.get(projectId) ?? 0) + octets
        const { each, all } = this.#bounds
        if (held > each || this.#held + octets > all) throw tooMany()
        octetCount += octets
        this.#set(projectId, held, octets)
      },
      release: () => {
        // Hardly any request has a long body.
        if (octetCount === 0) return
        const held = (this.#heldByProject.get(projectId) ?? 0) - octetCount
        this.#set(projectId, held, -octetCount)
        octetCount = 0
      },
    }
  }

  #set(projectId: string, held: number, change: number): void {
    if (held > 0) this.#heldByProject.set(projectId, held)
    else this.#heldByProject.delete(projectId)
    this.#held += change
  }
}

function tooMany(): ApiError {
  const message = 'Too much is being sent at once; send one body after the other'
  return new ApiError('too_many_requests', message, { retryAfterSeconds })
}
