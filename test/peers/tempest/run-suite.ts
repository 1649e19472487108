import { spawn } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** How one test of a suite ended. */
export type Outcome = {
  readonly id: string
  readonly status: 'success' | 'fail' | 'skip' | 'xfail' | 'uxsuccess' | 'inprogress'
  /** The traceback of a failure, the reason of a skip. */
  readonly text: string
  readonly seconds: number
}

export type SuiteRun = {
  /** The Python package that Debian installs the suite as. */
  readonly suite: string
  /** Tests to leave out, as a pattern of their names. */
  readonly without?: string
  /** The only tests to run, as such a pattern. */
  readonly only?: string
  /** Holds `tempest.conf`; the run writes into it. */
  readonly folder: string
}

const packages = '/usr/lib/python3/dist-packages'
/** Tables that tests of a suite read and that its Debian package lacks; these are ours, of the same form. */
const dataFolder = join(import.meta.dirname, 'data')

/** Runs a suite, two tests at a time, and resolves with the outcome of each test.
 *  @throws Error the suite could not be read */
export async function runSuite({
  suite,
  without,
  only,
  folder,
}: SuiteRun): Promise<readonly Outcome[]> {
  const place = join(folder, 'suites')
  const tests = join(place, suite, 'tests')
  cpSync(join(packages, suite), join(place, suite), { recursive: true })
  cpSync(dataFolder, tests, { recursive: true })
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: folder,
    TEMPEST_CONFIG_DIR: folder,
    PYTHONPATH: place,
    PYTHONWARNINGS: 'ignore',
  }
  const words = ['--top-dir', place, '--test-path', tests, 'run', '--subunit', '--concurrency', '2']
  if (without !== undefined) words.push('--exclude-regex', without)
  if (only !== undefined) words.push(only)
  const runner = spawn('/usr/bin/stestr', words, {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const program = join(import.meta.dirname, 'outcomes.py')
  const reader = spawn('/usr/bin/python3', [program], {
    env,
    stdio: [runner.stdout, 'pipe', 'inherit'],
  })
  const outcomes: Outcome[] = []
  for await (const line of createInterface({ input: reader.stdout }))
    outcomes.push(JSON.parse(line))
  if (outcomes.length === 0) throw new Error(`no test of ${suite} was run`)
  return outcomes
}
