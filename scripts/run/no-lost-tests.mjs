// Imported before the files of a group. Where one of them has given the root test a teardown, tap ends it as soon as it has nothing to
// do, even while a later file still starts its server, and the tests of that file are not run, without a word. Here that fails.

import t from 'tap'

let isLoaded = false

t.test = new Proxy(t.test, {
  apply(test, root, words) {
    requireNotEnded(!t.ended)
    return Reflect.apply(test, root, words)
  },
})

// A file that cannot be loaded fails by itself.
process.once('exit', code => requireNotEnded(isLoaded || code !== 0))

/** Says that all files of the group are loaded. */
export function filesLoaded() {
  isLoaded = true
}

/** @param {boolean} isGood */
function requireNotEnded(isGood) {
  if (isGood) return
  console.error(
    'The tests ended while a file of this group was still being loaded: give it a process of its own (ownProcess).',
  )
  process.exit(1)
}
