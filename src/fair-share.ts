const windowMs = 1000
/** By what the number of zones that are counted as active falls each second, if fewer are. */
const decay = 0.9

/** Bounds requests per second, and keeps as much for zones that have not had their share of it: those for one zone, however many
 *  come, do not keep out those for another. */
export class FairShare {
  readonly #perSecond: number
  readonly #nowMs: () => number
  readonly #countByZone = new Map<string, number>()
  /** How many zones have had requests lately. */
  #zoneCount = 0
  #count = 0
  #windowEndsAtMs = 0

  constructor(perSecond: number, nowMs: () => number = () => performance.now()) {
    this.#perSecond = perSecond
    this.#nowMs = nowMs
  }

  /** Returns whether one more request for a zone may pass.
   *  @param zone one that exists: as many are counted as have requests in a second */
  take(zone: string): boolean {
    const nowMs = this.#nowMs()
    // A clock that tells the time may be set back.
    const isOver = nowMs >= this.#windowEndsAtMs || nowMs < this.#windowEndsAtMs - windowMs
    if (isOver) this.#beginWindow(nowMs)
    const count = this.#countByZone.get(zone) ?? 0
    // Also if it is refused: then it needs a share of the next second.
    this.#countByZone.set(zone, count)
    if (!this.#hasRoom(count)) return false
    this.#countByZone.set(zone, count + 1)
    this.#count += 1
    return true
  }

  #hasRoom(countOfZone: number): boolean {
    const perSecond = this.#perSecond
    if (this.#count < perSecond) return true
    const zoneCount = Math.max(this.#zoneCount, this.#countByZone.size)
    return countOfZone < perSecond / zoneCount && this.#count < 2 * perSecond
  }

  #beginWindow(nowMs: number): void {
    this.#windowEndsAtMs = nowMs + windowMs
    this.#zoneCount = Math.max(this.#countByZone.size, this.#zoneCount * decay)
    this.#countByZone.clear()
    this.#count = 0
  }
}
