import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode } from './error-code.mjs'

/** @typedef {'production' | 'all'} DependencySet */

/**
 * @typedef {object} LockedPackage
 * @property {string} [version]
 * @property {string} [integrity]
 * @property {boolean} [dev]
 * @property {boolean} [optional]
 * @property {boolean} [devOptional]
 */

/**
 * Returns which of a package's dependencies are installed exactly as its lockfile says. npm records the packages that
 * it installed in `node_modules/.package-lock.json`, as its last step, so comparing the two costs a few
 * milliseconds, needs no marker of our own and recognizes a manual `npm ci`.
 *
 * @param {string} folder
 * @returns {DependencySet | 'none'}
 */
export function installedSet(folder) {
  const installed = readPackages(installedRecord(folder))
  if (installed === undefined) return 'none'
  const locked = Object.entries(readPackages(join(folder, 'package-lock.json')) ?? {})
  const unmet = locked.filter(([path, entry]) => path !== '' && !isMet(entry, installed[path]))
  if (unmet.length === 0) return 'all'
  return unmet.every(([, entry]) => isForDevelopment(entry)) ? 'production' : 'none'
}

/**
 * Returns which set was once installed, whether or not it still matches the lockfile.
 *
 * @param {string} folder
 * @returns {DependencySet}
 */
export function formerSet(folder) {
  const installed = Object.values(readPackages(installedRecord(folder)) ?? {})
  return installed.some(isForDevelopment) ? 'all' : 'production'
}

/** @param {string} folder */
export function installedRecord(folder) {
  return join(folder, 'node_modules', '.package-lock.json')
}

/**
 * An optional package may be absent (it is for another machine); a present one must be the right one.
 *
 * @param {LockedPackage} locked
 * @param {LockedPackage | undefined} installed
 */
function isMet(locked, installed) {
  if (installed === undefined) return locked.optional === true || locked.devOptional === true
  return installed.version === locked.version && installed.integrity === locked.integrity
}

/** @param {LockedPackage} entry */
function isForDevelopment(entry) {
  return entry.dev === true || entry.devOptional === true
}

/**
 * @param {string} path
 * @returns {Record<string, LockedPackage> | undefined}
 */
function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages
  } catch (error) {
    if (hasCode(error, 'ENOENT') || error instanceof SyntaxError) return undefined
    throw error
  }
}
