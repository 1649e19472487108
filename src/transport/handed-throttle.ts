import { FairShare } from '../fair-share.ts'

const signedPerSecond = 5000
/** Of requests that anyone can send in the name of any client. */
const unsignedPerSecond = 200

/** Bounds how many requests of one kind a thread passes to the main thread, by zone; unsigned ones cost their sender nothing. */
export class HandedThrottle {
  readonly #signed: FairShare
  readonly #unsigned: FairShare

  constructor(nowMs?: () => number) {
    this.#signed = new FairShare(signedPerSecond, nowMs)
    this.#unsigned = new FairShare(unsignedPerSecond, nowMs)
  }

  /** Returns whether one more request may pass.
   *  @param apex of the zone that it is for
   *  @param isSigned or sent over TCP */
  take(apex: string, isSigned: boolean): boolean {
    return (isSigned ? this.#signed : this.#unsigned).take(apex)
  }
}
