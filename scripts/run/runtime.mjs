import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { Failure } from './failure.mjs'
import { install } from './install.mjs'
import { compileCache, runtimeNode } from './paths.mjs'

const oldestMajor = 24

/** A Node that runs TypeScript as it stands, and an environment in which `node` means that one.
 *  @typedef {{ node: string, env: NodeJS.ProcessEnv }} Runtime */

/**
 * Installs what is missing and finds the Node to use: this one, or the locked one where this one is too old.
 *
 * @param {import('./lockfile.mjs').DependencySet} wanted
 * @returns {Promise<Runtime>}
 */
export async function prepareRuntime(wanted) {
  const needsRuntime = Number.parseInt(process.versions.node, 10) < oldestMajor
  const node = needsRuntime ? runtimeNode() : process.execPath
  const isNew = needsRuntime && !existsSync(node)
  await install({ wanted, needsRuntime, node })
  if (isNew) requireWorking(node)
  return {
    node,
    env: {
      // Halves the time of a start: code is stripped of types and compiled only once.
      NODE_COMPILE_CACHE: compileCache,
      ...process.env,
      PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
    },
  }
}

/**
 * npm silently skips a package for another machine, and the available ones need glibc.
 *
 * @param {string} node
 */
function requireWorking(node) {
  const answer = spawnSync(node, ['--version'], { encoding: 'utf8' })
  if (answer.status === 0) return
  const machine = `${process.platform}-${process.arch}`
  throw new Failure(
    `this is Node ${process.version}, and npm has not installed Node ${oldestMajor} for ${machine}: try again, in case the network ` +
      `failed, or install Node ${oldestMajor} or newer`,
    69,
  )
}
