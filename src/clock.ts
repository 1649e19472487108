/** The one source of time of the management plane, so that tests can turn it. */
export type Clock = {
  /** Milliseconds since the Unix epoch. May step either way: whoever needs order asks the store. */
  nowMillis(): number
}

/** The machine's clock. */
export const systemClock: Clock = { nowMillis: () => Date.now() }
