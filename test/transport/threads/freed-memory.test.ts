import { spawnSync } from 'node:child_process'
import t from 'tap'
import { collectGarbage, returnFreedMemory } from '../../../src/transport/threads/freed-memory.ts'
import { unbatched } from '../../helpers/threaded-listeners.ts'

t.test('what nothing refers to is collected', async t => {
  const held = new WeakRef(garbage())
  // What a WeakRef was made of lives as long as the turn in which it was made.
  await new Promise(setImmediate)
  collectGarbage()
  t.equal(held.deref(), undefined)
  t.equal(typeof globalThis.gc, 'undefined', 'and nobody else can')
})

t.test('what the C library has free goes back', { skip: unbatched }, async t => {
  t.type(await returnFreedMemory(), 'boolean')
})

t.test('compiled code is in the cache when its memory is freed', async t => {
  const directory = t.testdir()
  const module = new URL('../../../src/transport/threads/freed-memory.ts', import.meta.url)
  const text = `
    import { readdirSync } from 'node:fs'
    import { freeCompiledCode } from '${module}'
    const count = () => readdirSync('${directory}', { recursive: true }).length
    const before = count()
    freeCompiledCode()
    process.stdout.write(String(count() - before))
    process.kill(process.pid, 'SIGKILL')`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', text], {
    env: { ...process.env, NODE_COMPILE_CACHE: directory },
    encoding: 'utf8',
  })
  t.ok(Number(stdout) > 0, stderr)
})

function garbage(): object {
  return { octets: new Uint8Array(1000) }
}
