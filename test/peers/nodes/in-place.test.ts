import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { depth } from '../../helpers/depth.ts'
import { inParallel } from '../../helpers/in-parallel.ts'
import { Postgres } from '../../helpers/postgres.ts'

// The tests of whole servers again, with three nodes over one PostgreSQL instead of each server (test/helpers/nodes-in-place.ts):
// requests and queries go to the nodes in turn, a stop or a kill affects all three.

/** Files of test/system that do not apply to several nodes, or are impossible on one machine, and why. */
const leftOut = new Map([
  ['backup', 'an archive is of the directory of a server of its own; nodes/moving'],
  ['check', 'reads the files of a server that does not run; nodes/check'],
  ['full-disk', 'a copy of a node may be behind, which is said otherwise; nodes/full-disk'],
  ['metering', 'metering at several nodes, with clocks that are turned: nodes/usage'],
  ['metering-clock', 'clocks of nodes differ by less than a minute; nodes/usage'],
  ['pools', 'a pool listens on one port, which one node of a machine can have; nodes/pools'],
])

/** Run by default; TEST_DEPTH=2 runs all. */
const quick = ['abandoned', 'extensions-v1', 'name-servers', 'records-v1']

/** Of these, the tests with such names: others are of a single process, its files or ports. */
const only = new Map([['test/system/start-stop.test.ts', '/asked to stop|before a stop/']])

const root = join(import.meta.dirname, '../../..')
const systemTests = readdirSync(join(root, 'test/system')).map(name => name.split('.')[0] ?? '')

const timeout = 900_000

t.setTimeout(timeout)
t.test('what is left out is there', async t => {
  t.same(
    [...leftOut.keys()].filter(name => !systemTests.includes(name)),
    [],
  )
})

t.test('tests of whole servers pass with three nodes in place of each', { timeout }, async t => {
  const settings = { max_connections: '200' }
  const postgres = await Postgres.startPair({ settings })
  t.teardown(() => postgres.close())
  const urls = [postgres, ...postgres.standbys].map(({ url }) => url).join()
  const system = depth === 1 ? quick : systemTests.filter(name => !leftOut.has(name))
  const files = system.map(name => `test/system/${name}.test.ts`)
  await inParallel(2, files, async file => {
    const { code, output } = await run(file, urls)
    t.equal(code, 0, file)
    if (code !== 0) t.comment(output)
  })
})

async function run(file: string, urls: string) {
  const { TAP_GREP: _, TAP_CHILD_ID: __, NODE_TEST_CONTEXT: ___, ...own } = process.env
  const env = { ...own, TEST_DEPTH: '1' }
  const names = only.get(file)
  const child = spawn(process.execPath, [file], {
    cwd: root,
    // Of the file, which would otherwise be half a minute where this runs without npm.
    env: {
      TAP_TIMEOUT: '600',
      ...env,
      TEST_STORE_URLS: urls,
      ...(names === undefined ? {} : { TAP_GREP: names }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', text => printed.push(String(text)))
  const [code] = await once(child, 'close')
  return { code: code as number | null, output: printed.join('') }
}
