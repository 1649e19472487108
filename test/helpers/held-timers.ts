import type { Test } from 'tap'

type HeldTimers = {
  /** Fires all. */
  letGo(): void
  /** Fires those that are due then. */
  advanceMillis(millis: number): void
}

/** Holds the timers that are set from now to the end of the test: they fire when they are let go. */
export function heldTimers(t: Test): HeldTimers {
  const held = new Map<object, { readonly work: () => void; readonly dueMillis: number }>()
  let nowMillis = 0
  const { setTimeout, clearTimeout } = globalThis
  t.teardown(() => Object.assign(globalThis, { setTimeout, clearTimeout }))
  Object.assign(globalThis, {
    setTimeout(work: () => void, millis = 0) {
      const timer = {}
      held.set(timer, { work, dueMillis: nowMillis + millis })
      return timer
    },
    clearTimeout(timer: object) {
      held.delete(timer)
    },
  })
  const fire = (untilMillis: number) => {
    for (const [timer, { work, dueMillis }] of [...held]) {
      if (dueMillis > untilMillis) continue
      held.delete(timer)
      work()
    }
  }
  return {
    letGo: () => fire(Number.POSITIVE_INFINITY),
    advanceMillis(millis) {
      nowMillis += millis
      fire(nowMillis)
    },
  }
}
