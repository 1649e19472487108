import { cpSync, statSync } from 'node:fs'

/**
 * Copies what the compiler leaves out: pages, scripts and styles that the server serves as they are.
 *
 * @param {string} from
 * @param {string} to
 */
export function copyAssets(from, to) {
  cpSync(from, to, {
    recursive: true,
    filter: path => statSync(path).isDirectory() || isAsset(path),
  })
}

/** @param {string} path */
function isAsset(path) {
  return !path.endsWith('.ts') && !path.endsWith('README.md')
}
