/** The only source of time of the management plane, so that tests can set it. */
export type Clock = {
  /** Milliseconds since the Unix epoch. May step either way: code that needs an order gets it from the store. */
  nowMillis(): number
}

/** The machine's clock. */
export const systemClock: Clock = { nowMillis: () => Date.now() }
