import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's own folder, wherever the command was given. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** The helper package whose one dependency is a Node.js. */
export const runtimePackage = join(root, 'scripts', 'runtime')

/** Where Node keeps compiled code between two runs. Gone with the packages, and made anew. */
export const compileCache = join(root, 'node_modules', '.cache', 'node')

/** Modules that import several test files, made anew by each run. */
export const testGroups = join(root, 'node_modules', '.cache', 'tests')

/** Where tap gives tests directories of their own. */
export const testFixtures = join(root, '.tap', 'fixtures')

/** What Node runs the server with, here, in the image and in the package. V8 keeps for new objects whatever it once took for them, up
 *  to 128 MB of mostly nothing, and with no more than this it takes as long. */
export const serverFlags = ['--max-semi-space-size=8']

/** And in which environment. The C library gives back to the system what had room of its own, which is what is larger than this; as
 *  it comes, the limit grows with what is freed, and what a start or an import has read stays with the process. */
export const serverEnvironment = { MALLOC_MMAP_THRESHOLD_: '131072' }
