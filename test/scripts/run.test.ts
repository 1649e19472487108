import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import t from 'tap'
import { runNode } from '../../scripts/run/child.mjs'
import { root } from '../conventions/source-tree.ts'

function run(...args: string[]) {
  return spawnSync(process.execPath, [join(root, 'scripts', 'run.mjs'), ...args], {
    encoding: 'utf8',
  })
}

const runtime = { node: process.execPath, env: process.env }

t.test('without a known command the commands are listed and the exit code is 64', async t => {
  for (const args of [[], ['frobnicate']]) {
    const { status, stderr } = run(...args)
    t.equal(status, 64)
    for (const command of ['start', 'test', 'peers', 'check', 'bench', 'build', 'format'])
      t.match(stderr, new RegExp(`^  ${command} `, 'm'))
  }
})

t.test('an unknown benchmark and a word in no test path are reported, with 64', async t => {
  t.match(run('bench', 'frobnicate'), { status: 64, stderr: 'there is no benchmark "frobnicate"' })
  t.match(run('bench'), { status: 64, stderr: 'name a benchmark' })
  t.match(run('test', 'frob', 'nicate'), { status: 64, stderr: 'looked for "frob" or "nicate"' })
})

t.test('--help tells how tests are run, at once, and no other option is one', async t => {
  for (const args of [
    ['test', '--help'],
    ['test', 'zones', '-h'],
    ['peers', '--help'],
  ]) {
    const { status, stdout } = run(...args)
    t.equal(status, 0)
    for (const said of ['npm test -- <word>', 'npm run test:peers', 'TAP_GREP=', 'CONTRIBUTING.md'])
      t.ok(stdout.includes(said), said)
  }
  t.match(run('test', '--watch'), { status: 64, stderr: 'no option "--watch"' })
})

t.test('the child’s exit code is ours', async t => {
  t.equal(await runNode(runtime, ['-e', 'process.exit(7)']), 7)
  t.equal(await runNode(runtime, ['-e', '']), 0)
})

const forwarder = `
  import { runNode } from '${new URL('../../scripts/run/child.mjs', import.meta.url).href}'
  const runtime = { node: process.execPath, env: process.env }
  process.exitCode = await runNode(runtime, ['-e', process.argv[1]])`

/** Starts a program by way of `runNode`, sends it a signal once it says that it is ready, and returns its end. */
async function endAfter(signal: NodeJS.Signals, program: string) {
  const args = ['--input-type=module', '-e', forwarder, program]
  const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(parent.stdout, 'data')
  parent.kill(signal)
  const [code, killedBy] = await once(parent, 'close')
  return { code, killedBy }
}

const waiting = "console.log('ready'); setInterval(() => {}, 1000);"

t.test('a signal reaches the child, which decides what comes of it', async t => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    const handler = `process.on('${signal}', () => process.exit(9));`
    t.same(await endAfter(signal, handler + waiting), { code: 9, killedBy: null })
  }
})

t.test('a child that dies of a signal takes us with it by the same', async t => {
  t.same(await endAfter('SIGTERM', waiting), { code: null, killedBy: 'SIGTERM' })
})

t.test(
  'nothing is left open of a terminal that is gone, which older Node.js could not end with',
  async t => {
    const report = `
    import { fstatSync, writeSync } from 'node:fs'
    ${forwarder}
    const isOpen = fd => { try { return fstatSync(fd) !== undefined } catch { return false } }
    process.on('exit', code => writeSync(3, JSON.stringify({ code, open: [0, 1, 2].filter(isOpen) })))`
    const program = `process.on('SIGHUP', () => process.exit(0));${waiting}`
    const command = `exec "${process.execPath}" --input-type=module -e "$REPORT" "$PROGRAM"`
    const terminal = spawn('script', ['--quiet', '--command', command, '/dev/null'], {
      env: { ...process.env, REPORT: report, PROGRAM: program, SHELL: '/bin/sh' },
      stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    })
    await once(terminal.stdout as Readable, 'data')
    terminal.kill('SIGKILL')
    t.same(await json(terminal.stdio[3] as Readable), { code: 0, open: [] })
  },
)
