import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative, sep } from 'node:path'
import { Failure } from './failure.mjs'
import { root } from './paths.mjs'

/**
 * All tests that need nothing but this repository; conventions first, because they are the quickest to say no.
 *
 * @param {string[]} words narrow to the files whose path has at least one of them; none: all
 */
export function ordinaryTests(words) {
  const files = testFiles('test').filter(file => !file.startsWith('test/peers/'))
  const byConvention = (/** @type {string} */ file) =>
    file.startsWith('test/conventions/') ? 0 : 1
  return narrowed(files, words).sort((a, b) => byConvention(a) - byConvention(b))
}

/** @param {string[]} words as in ordinaryTests */
export function peerTests(words) {
  return narrowed(testFiles('test/peers'), words)
}

export function conventionTests() {
  return narrowed(testFiles('test/conventions'), [])
}

/**
 * @param {string[]} files
 * @param {number} concurrency how many files run at a time
 */
export function testArguments(files, concurrency = availableParallelism()) {
  const options = ['--test-reporter=spec', `--test-concurrency=${concurrency}`]
  // Node says so of what the conventions use to strip types; nobody who runs the tests can do anything about it.
  return ['--disable-warning=ExperimentalWarning', '--test', ...options, ...files]
}

/**
 * Without a file the runner would look for some on its own, and pass where it finds none.
 *
 * @param {string[]} files
 * @param {string[]} words
 */
function narrowed(files, words) {
  const isWanted = (/** @type {string} */ file) =>
    words.length === 0 || words.some(word => file.includes(word))
  const chosen = files.filter(isWanted)
  if (chosen.length > 0) return chosen
  const sought = words.map(word => ` "${word}"`).join(' or')
  throw new Failure(`no such test file${sought && ` (looked for${sought} in the paths)`}`, 64)
}

/**
 * Paths below the root, with slashes, sorted.
 *
 * @param {string} folder
 */
function testFiles(folder) {
  const path = join(root, folder)
  if (!existsSync(path)) return []
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.test.ts'))
    .map(file => relative(root, join(path, file)).split(sep).join('/'))
    .sort()
}
