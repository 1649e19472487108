import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { benchNames, isBench } from './benches.mjs'
import { runNode, runSteps } from './child.mjs'
import { consoleBuild, isConsoleBuilt } from './console.mjs'
import { Failure } from './failure.mjs'
import { root, serverEnvironment, serverFlags } from './paths.mjs'
import { prepareRuntime } from './runtime.mjs'
import { conventionTests, grouped, ordinaryTests, peerTests, testArguments } from './tests.mjs'

const typeCheck = [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', '.']
const consoleTypeCheck = [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'src/console']
const compile = [
  join('node_modules', 'typescript', 'bin', 'tsc'),
  '-p',
  'scripts/tsconfig.build.json',
]
const biome = join('node_modules', '@biomejs', 'biome', 'bin', 'biome')
const lint = [biome, 'check', '--error-on-warnings']

/** @type {Record<string, { does: string, run: (args: string[]) => Promise<void> }>} */
export const commands = {
  start: { does: 'run the server; arguments go to it (--help lists them)', run: start },
  test: {
    does: 'type check and all tests; words narrow to the test files whose path has one',
    run: test,
  },
  peers: {
    does: 'the tests against other name servers and clients, which must be installed',
    run: peers,
  },
  check: { does: 'type check, lint, conventions', run: check },
  lint: { does: 'the lint alone', run: () => withAll([lint]) },
  format: {
    does: 'format, and mend what the lint can',
    run: () => withAll([[biome, 'check', '--write']]),
  },
  bench: { does: 'run one benchmark: bench <name> [arguments]', run: bench },
  build: {
    does: 'compile src/ to dist/, with the pages of the console, for the image',
    run: build,
  },
  install: {
    does: 'install what `start` needs, and stop',
    run: async () => void (await prepareRuntime('production')),
  },
  node: {
    does: 'print which Node.js runs the server',
    run: async () => void process.stdout.write(`${(await prepareRuntime('production')).node}\n`),
  },
}

/** @param {string | undefined} wrong the word given instead of a command */
export function usage(wrong) {
  const lines = Object.entries(commands).map(([name, { does }]) => `  ${name.padEnd(8)} ${does}`)
  const problem = wrong === undefined ? 'a command is missing' : `there is no command "${wrong}"`
  return `${problem}; there are\n${lines.join('\n')}`
}

/** @param {string[]} args */
async function start(args) {
  // The server itself needs none of the packages that build its pages.
  if (!isConsoleBuilt()) {
    await runSteps(await prepareRuntime('all'), [consoleBuild])
    if (process.exitCode) return
  }
  const { node, env } = await prepareRuntime('production')
  const runtime = { node, env: { ...serverEnvironment, ...env } }
  const main = [...serverFlags, join(root, 'src', 'main.ts')]
  // Relative paths in the settings are the caller's, so the working directory stays.
  process.exitCode = await runNode(runtime, [...main, ...args], process.cwd())
}

const testHelp = `npm test                         type check, and all tests but those against other programs
npm test -- <word> [<word> …]    the test files whose path has one of these words, without the type check
npm run test:peers [-- <word> …] the tests against other name servers and clients, one file at a time
npm run check                    type check, lint, conventions

TAP_GREP=<words>                 of those files, only the tests with these words in their names
TAP_TIMEOUT=<seconds>            how long a file may take (600)
TEST_DEPTH=<times>               how much more than usual is tried of what is random (1)

All of it takes some five minutes on two cores. CONTRIBUTING.md says more.
`

/**
 * Prints the usage of the test command if requested, and returns whether it was.
 *
 * @param {string[]} words
 */
function isHelp(words) {
  const option = words.find(word => word.startsWith('-') && word !== '--')
  if (option === undefined) return false
  if (option !== '--help' && option !== '-h') {
    throw new Failure(`tests have no option "${option}"; --help tells what there is`, 64)
  }
  process.stdout.write(testHelp)
  return true
}

/** @param {string[]} words */
async function test(words) {
  if (isHelp(words)) return
  const files = ordinaryTests(words)
  // A developer who names a test is working on it and wants its result at once.
  const first = words.length === 0 ? [typeCheck, consoleTypeCheck] : []
  configureTap()
  await withAll(() => [...first, testArguments(grouped(files))])
}

/** @param {string[]} words */
async function peers(words) {
  if (isHelp(words)) return
  // A peer test starts servers of its own; two at once would measure each other on a small machine.
  configureTap()
  await withAll([testArguments(peerTests(words), 1)])
}

function configureTap() {
  // tap's timeout for a process is half a minute, which a dozen files can exceed on a busy machine.
  process.env.TAP_TIMEOUT ??= '600'
  // tap removes a test's directory while the test is still closing the writers in it.
  process.env.TAP_SAVE_FIXTURE ??= '1'
}

async function check() {
  await withAll(() => [
    typeCheck,
    consoleTypeCheck,
    lint,
    testArguments(grouped(conventionTests())),
  ])
}

/** @param {string[]} args */
async function bench([name, ...args]) {
  if (name === undefined || !isBench(name)) {
    const problem = name === undefined ? 'name a benchmark' : `there is no benchmark "${name}"`
    throw new Failure(`${problem}; there are: ${benchNames().join(', ') || 'none'}`, 64)
  }
  await withAll([[join('scripts', 'bench', `${name}.ts`), ...args]])
}

async function build() {
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  await withAll([compile, consoleBuild])
}

/**
 * Runs programs with all packages installed.
 *
 * @param {string[][] | (() => string[][])} steps a function: called once the packages are installed, which replaces all files
 *   among them
 */
async function withAll(steps) {
  const runtime = await prepareRuntime('all')
  await runSteps(runtime, typeof steps === 'function' ? steps() : steps)
}
