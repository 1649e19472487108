import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './paths.mjs'

const sources = join(root, 'src', 'console')
const page = join(root, 'dist', 'console', 'index.html')

/** Builds the pages of the console into dist/console. */
export const consoleBuild = [
  join('node_modules', 'vite', 'bin', 'vite.js'),
  'build',
  sources,
  '--config',
  join(sources, 'vite.config.ts'),
  '--logLevel',
  'warn',
]

/** Whether the built pages are there and no source is newer. */
export function isConsoleBuilt() {
  const builtAt = modifiedAt(page)
  const paths = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  return builtAt > 0 && paths.every(path => modifiedAt(join(sources, path)) <= builtAt)
}

/** @param {string} path */
function modifiedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
