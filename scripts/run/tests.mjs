import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Failure } from './failure.mjs'
import { root, testFixtures, testGroups } from './paths.mjs'

/**
 * All tests that need nothing but this repository; conventions first, because they fail fastest.
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

const plainPromises = new URL('plain-promises.mjs', import.meta.url).href
const filesFirst = new URL('files-first.mjs', import.meta.url).href

/**
 * @param {string[]} files
 * @param {number} concurrency how many processes run at a time; by default, one more than there are processors,
 *   because each waits at times
 */
export function testArguments(files, concurrency = availableParallelism() + 1) {
  process.once('exit', () => removeFixtures(files))
  const options = ['--test-reporter=spec', `--test-concurrency=${concurrency}`]
  return ['--test', ...options, `--import=${plainPromises}`, ...files]
}

/**
 * Removes the tests' directories, which tap names after their files.
 *
 * @param {string[]} files
 */
function removeFixtures(files) {
  if (!existsSync(testFixtures)) return
  const prefixes = files.map(file => `${relative(root, resolve(root, file)).replaceAll(sep, '-')}-`)
  for (const name of readdirSync(testFixtures)) {
    if (!prefixes.some(prefix => name.startsWith(prefix))) continue
    rmSync(join(testFixtures, name), { recursive: true, force: true })
  }
}

/** Tests that start processes or threads, or measure their own process, have a process each. */
const ownProcess =
  /^test\/(?:hostile|peers|scripts|system|transport\/threads)\/|^test\/client\/program\.|^test\/transport\/(?:listeners|notify-throttle|pool-servers|udp)\.|^test\/[^/]+$/
const maxGroupFiles = 20

/**
 * Groups the other files of a folder, twenty to a process: starting a process takes longer than most files.
 *
 * @param {string[]} files
 * @returns {string[]} what to run: files, and modules that import some
 */
export function grouped(files) {
  // Of this run alone: the runner does not report a file that another run has removed.
  const folder = join(testGroups, String(process.pid))
  mkdirSync(folder, { recursive: true })
  process.once('exit', () => rmSync(folder, { recursive: true }))
  /** @type {Map<string, string[]>} */
  const groups = new Map()
  for (const file of files) {
    const key = ownProcess.test(file) ? file : (file.split('/')[1] ?? '')
    const members = groups.get(key) ?? []
    groups.set(key, members)
    members.push(file)
  }
  const isSingle = (/** @type {string} */ path) => Number(path.endsWith('.ts'))
  const all = [...groups].flatMap(([name, members]) => {
    const count = Math.ceil(members.length / maxGroupFiles)
    return Array.from({ length: count }, (_, i) =>
      group(
        join(folder, `${name}-${i}.mjs`),
        members.slice(i * maxGroupFiles, (i + 1) * maxGroupFiles),
      ),
    )
  })
  // A group at the end would run alone.
  return all.sort((a, b) => isSingle(a) - isSingle(b))
}

/**
 * @param {string} path of the module to write
 * @param {string[]} files
 */
function group(path, files) {
  const [first = ''] = files
  if (files.length === 1) return first
  const imports = files.map(file => `import '${pathToFileURL(join(root, file))}'\n`)
  const hold = `import { filesLoaded } from '${filesFirst}'\n`
  writeFileSync(path, [hold, ...imports, 'filesLoaded()\n'].join(''))
  return path
}

/**
 * Without a file the runner would search for tests itself, and pass if it finds none.
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
