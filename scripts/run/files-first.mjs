// Imported before the files of a group. Where one of them has given the root test a teardown, tap ends it as soon as it has nothing to
// do, even while a later file still starts its server, and the tests of that file are not run, without a word. So teardowns are
// registered without that (`after`) until all files are loaded.

import t from 'tap'

const teardown = t.teardown
t.teardown = run => t.after(run)

/** Lets tap end the root test once it has nothing to do. */
export function filesLoaded() {
  if (t.ended) throw new Error('the tests ended while a file of this group was still being loaded')
  t.teardown = teardown
  // The first teardown makes tap end the test when it is idle, as it may be already.
  t.teardown(() => undefined)
  t.emit('idle')
}
