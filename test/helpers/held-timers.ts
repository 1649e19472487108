import type { Test } from 'tap'

/** Holds the timers that are set from now to the end of the test: they fire when they are let go. */
export function heldTimers(t: Test): { letGo(): void } {
  const held = new Map<object, () => void>()
  const { setTimeout, clearTimeout } = globalThis
  t.teardown(() => Object.assign(globalThis, { setTimeout, clearTimeout }))
  Object.assign(globalThis, {
    setTimeout(work: () => void) {
      const timer = {}
      held.set(timer, work)
      return timer
    },
    clearTimeout(timer: object) {
      held.delete(timer)
    },
  })
  return {
    letGo() {
      const works = [...held.values()]
      held.clear()
      for (const work of works) work()
    },
  }
}
