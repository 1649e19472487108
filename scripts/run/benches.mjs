import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './paths.mjs'

const folder = join(root, 'scripts', 'bench')

/** The benchmarks by the names they are run by: the files directly in scripts/bench. */
export function benchNames() {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter(file => file.endsWith('.ts'))
    .map(file => file.slice(0, -'.ts'.length))
    .sort()
}

/** @param {string} name */
export function isBench(name) {
  return benchNames().includes(name)
}
