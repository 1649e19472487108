// Loaded into a server by `--import`: at each SIGWINCH the clock of its main thread, by which it meters and rates, is an hour further
// ahead.

import { isMainThread } from 'node:worker_threads'

const hourMillis = 3_600_000

if (isMainThread) {
  const now = Date.now
  let aheadMillis = 0
  Date.now = () => now() + aheadMillis
  process.on('SIGWINCH', () => {
    aheadMillis += hourMillis
  })
}
