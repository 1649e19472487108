import { spawn } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from './failure.mjs'
import { withInstallLock } from './install-lock.mjs'
import { formerSet, installedRecord, installedSet } from './lockfile.mjs'
import { root, runtimePackage } from './paths.mjs'

/**
 * Makes sure that the wanted packages, and on an old Node the helper package with a newer one, are installed.
 * Costs a few milliseconds where they are.
 *
 * @param {{ wanted: import('./lockfile.mjs').DependencySet, needsRuntime: boolean, node: string }} options the Node to use, which
 * the helper package has if it is needed
 */
export async function install(options) {
  if (missingInstalls(options).length === 0) return
  await withInstallLock(join(root, '.install-lock'), async () => {
    const missing = missingInstalls(options)
    if (missing.length > 0) process.stderr.write('Installing what the lockfile says ...\n')
    await Promise.all(missing.map(({ folder, args }) => npmCi(folder, args)))
  })
}

/**
 * npm takes a package for one kind of machine as optional: if it could not be fetched, the installation is complete without it.
 *
 * @param {{ wanted: import('./lockfile.mjs').DependencySet, needsRuntime: boolean, node: string }} options
 */
export function missingInstalls({ wanted, needsRuntime, node }) {
  const missing = []
  const present = installedSet(root)
  if (present === 'none' || (wanted === 'all' && present === 'production')) {
    // A developer's stale install is brought up to date as a whole, even by `npm start`.
    const isWhole = wanted === 'all' || formerSet(root) === 'all'
    missing.push({ folder: root, args: isWhole ? [] : ['--omit=dev'] })
  }
  if (needsRuntime && (installedSet(runtimePackage) === 'none' || !existsSync(node))) {
    missing.push({ folder: runtimePackage, args: [] })
  }
  return missing
}

/**
 * Installs exactly the lockfile. Install scripts stay off: nothing here needs one, and they are how a bad
 * package would run code on this machine.
 *
 * @param {string} folder
 * @param {string[]} args
 * @returns {Promise<void>}
 */
export function npmCi(folder, args) {
  // npm writes this record last; without it, an interrupted installation cannot pass for a complete one.
  rmSync(installedRecord(folder), { force: true })
  const quiet = [
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    '--loglevel=error',
  ]
  return new Promise((resolve, reject) => {
    const npm = spawn('npm', ['ci', ...quiet, ...args], {
      cwd: folder,
      // stdout belongs to the command; npm's final output goes to stderr.
      stdio: ['ignore', 2, 2],
      env: environmentForNpm(),
    })
    npm.once('error', cause => {
      reject(new Failure(`cannot run npm (${cause.message}); install npm and try again`, 69))
    })
    npm.once('close', (code, signal) => {
      if (code === 0) return resolve()
      const how = signal === null ? `code ${code}` : signal
      const remedy =
        'npm says why above; check the network and the registry setting, then try again'
      reject(new Failure(`"npm ci" in ${folder} ended with ${how}: ${remedy}`, 69))
    })
  })
}

/** Drops what an outer `npm run` passes down: its own prefix and omissions are not meant for this install. */
function environmentForNpm() {
  const passedDown =
    /^npm_(config_(local_prefix|prefix|omit|include|production)|package_|lifecycle_)/i
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !passedDown.test(name)))
}
