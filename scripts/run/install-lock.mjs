// Two commands on a fresh clone would otherwise install over each other. The lock is a directory that holds one
// file, named by its owner's process id. It appears whole, by a rename, which succeeds only where there is no
// such directory or an empty one. A dead owner's lock is emptied by removing the file with *its* number, so
// no process can remove a lock that another has just acquired.

import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { hasCode } from './error-code.mjs'
import { Failure } from './failure.mjs'

const pollMs = 200
const patienceMs = 10 * 60_000

/**
 * Runs `work` while no other process holds the lock.
 *
 * @param {string} lock the lock's path
 * @param {() => Promise<unknown>} work
 */
export async function withInstallLock(lock, work) {
  const deadline = Date.now() + patienceMs
  let isAnnounced = false
  while (!tryAcquire(lock)) {
    const owner = findOwner(lock)
    if (owner !== undefined && !isAlive(owner)) {
      rmSync(join(lock, String(owner)), { force: true })
      continue
    }
    if (Date.now() > deadline) {
      throw new Failure(`process ${owner} is still installing; stop it or delete ${lock}`, 69)
    }
    if (!isAnnounced)
      process.stderr.write(`Waiting for process ${owner}, which is installing ...\n`)
    isAnnounced = true
    await delay(pollMs)
  }
  try {
    await work()
  } finally {
    release(lock)
  }
}

/** @param {string} lock */
function tryAcquire(lock) {
  const prepared = `${lock}.${process.pid}`
  mkdirSync(prepared, { recursive: true })
  writeFileSync(join(prepared, String(process.pid)), '')
  try {
    renameSync(prepared, lock)
    return true
  } catch (error) {
    rmSync(prepared, { recursive: true })
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST')) return false
    throw error
  }
}

/** @param {string} lock */
function release(lock) {
  rmSync(join(lock, String(process.pid)), { force: true })
  try {
    rmdirSync(lock)
  } catch (error) {
    // The next owner acquired the lock between the two calls.
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) throw error
  }
}

/** @param {string} lock */
function findOwner(lock) {
  try {
    const [owner] = readdirSync(lock)
    return owner === undefined ? undefined : Number(owner)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/**
 * Our own number in a lock is a leftover from before a reboot: we hold none yet.
 *
 * @param {number} pid
 */
function isAlive(pid) {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}
