import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { constants } from 'node:os'
import { isatty } from 'node:tty'
import { root } from './paths.mjs'

/** @type {NodeJS.Signals[]} */
const forwarded = ['SIGTERM', 'SIGINT', 'SIGHUP']
const parentPollMs = 500

// Node.js before 24 aborts at its end where its terminal is gone: it cannot restore the settings of that terminal.
const terminals = [0, 1, 2].filter(fd => isatty(fd))
process.once('exit', () => {
  for (const fd of terminals) if (!isatty(fd)) closeSync(fd)
})

/**
 * Runs a program in our place: same terminal, same signals. Resolves with its exit code; if a signal killed
 * it, we end by the same signal, so that a supervisor sees the true cause.
 *
 * A Ctrl-C reaches the child twice, from the terminal and from us; it has to treat both as one.
 *
 * @param {import('./runtime.mjs').Runtime} runtime
 * @param {string[]} args
 * @param {string} [cwd]
 * @returns {Promise<number>}
 */
export function runNode(runtime, args, cwd = root) {
  return new Promise((resolve, reject) => {
    const child = spawn(runtime.node, args, { cwd, stdio: 'inherit', env: runtime.env })
    const forward = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal)
    for (const signal of forwarded) process.on(signal, forward)
    const watch = watchNpm(() => forward('SIGTERM'))
    child.once('error', reject)
    child.once('close', (code, signal) => {
      clearInterval(watch)
      for (const name of forwarded) process.off(name, forward)
      if (signal === null) return resolve(code ?? 0)
      process.kill(process.pid, signal)
      // If the signal does not end us at once, return the exit code that a shell would.
      resolve(128 + (constants.signals[signal] ?? 0))
    })
  })
}

/**
 * Calls back when the npm that started us is gone. An npm that is killed outright forwards no signal, and an
 * orphaned server would block its ports and its data for the next.
 *
 * @param {() => void} onGone
 */
function watchNpm(onGone) {
  if (process.env.npm_lifecycle_event === undefined) return undefined
  const npm = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === npm) return
    clearInterval(watch)
    onGone()
  }, parentPollMs)
  return watch
}

/**
 * Runs several programs, one after the other, up to the first that fails.
 *
 * @param {import('./runtime.mjs').Runtime} runtime
 * @param {string[][]} steps
 */
export async function runSteps(runtime, steps) {
  for (const args of steps) {
    process.exitCode = await runNode(runtime, args)
    if (process.exitCode !== 0) return
  }
}
