import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's own folder, wherever the command was given. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** The helper package whose only dependency is a Node.js. */
export const runtimePackage = join(root, 'scripts', 'runtime')

/**
 * The Node.js in it, or in another folder that it is installed in. Not by its link in `.bin`: npm 9, as in Debian 13, does not
 * make that link.
 *
 * @param {string} [arch] of the machine, as Node names it
 */
export function runtimeNode(folder = runtimePackage, arch = process.arch) {
  return join(folder, 'node_modules', `node-linux-${arch}`, 'bin', 'node')
}

/** Where Node keeps compiled code between two runs. Removed with the packages, and recreated. */
export const compileCache = join(root, 'node_modules', '.cache', 'node')

/** Modules that import several test files, rewritten by each run. */
export const testGroups = join(root, 'node_modules', '.cache', 'tests')

/** Where tap creates the tests' own directories. */
export const testFixtures = join(root, '.tap', 'fixtures')

/** Node's options for the server, here, in the image and in the package. V8 keeps the space that it once took for new
 *  objects, up to 128 MB and mostly empty; limited to this size, it is just as fast. */
export const serverFlags = ['--max-semi-space-size=8']

/** The environment. The C library returns separately mapped blocks, those larger than this, to the system when they are freed; by
 *  default, the limit grows with the freed blocks, and the process keeps the memory of what a start or an import has read. */
export const serverEnvironment = { MALLOC_MMAP_THRESHOLD_: '131072' }
