import { ApiError } from '../../errors.ts'
import { HeldOctets, type OctetBounds } from '../../held-octets.ts'

const mebibyte = 1024 * 1024
/** The most octets that one project may be sending: more than the largest zone file. */
const maxOctetsEach = 64 * mebibyte
/** A body takes up to four times its octets of memory while it is read and parsed. */
const maxOctets = 256 * mebibyte
const retryAfterSeconds = 1

/** The memory of a long body until it is released. */
export type HeldBody = {
  /** Counts octets that have arrived.
   *  @throws ApiError too_many_requests long bodies of this project, or of all, take up too much */
  add(octets: number): void
  release(): void
}

/** Bounds the memory of long bodies, by project and in all: zone files and the like are bounded while they wait in a queue, but a
 *  body that is still arriving is in no queue. Short bodies are not counted, so their senders are never refused because of
 *  other bodies. Responses are bounded in the same way until their clients have read them. */
export class BodyMemory {
  readonly #bounds: OctetBounds
  readonly #held: HeldOctets

  constructor(bounds: OctetBounds = { each: maxOctetsEach, all: maxOctets }) {
    this.#bounds = bounds
    this.#held = new HeldOctets(bounds)
  }

  open(projectId: string): HeldBody {
    const held = this.#held.open(projectId)
    return {
      add: octets => {
        // Whatever its length, the only one may be sent, and leaves others their part.
        if (!held.hold(Math.min(octets, this.#bounds.each))) throw tooMany()
      },
      release: held.release,
    }
  }
}

function tooMany(): ApiError {
  const message = 'Too much is being sent at once; send, and read, one after the other'
  return new ApiError('too_many_requests', message, { retryAfterSeconds })
}
