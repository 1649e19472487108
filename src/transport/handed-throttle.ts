const windowMs = 1000
/** The limit for unsigned requests over UDP, which anyone can send in the name of any client. */
const maxUnsignedPerWindow = 200
const maxPerWindow = 5000

/** Bounds how many requests of one kind a thread passes to the main thread; unsigned ones cost their sender nothing. */
export class HandedThrottle {
  readonly #nowMs: () => number
  #windowEndsAtMs = 0
  #count = 0
  #unsignedCount = 0

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  /** Returns whether one more request may pass.
   *  @param isSigned or sent over TCP */
  take(isSigned: boolean): boolean {
    const nowMs = this.#nowMs()
    if (nowMs >= this.#windowEndsAtMs) {
      this.#windowEndsAtMs = nowMs + windowMs
      this.#count = 0
      this.#unsignedCount = 0
    }
    if (this.#count >= maxPerWindow) return false
    if (!isSigned && this.#unsignedCount >= maxUnsignedPerWindow) return false
    this.#count += 1
    if (!isSigned) this.#unsignedCount += 1
    return true
  }
}
