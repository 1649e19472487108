import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { collectGarbage, returnFreedMemory } from '../../../src/transport/threads/freed-memory.ts'
import { unbatched } from '../../helpers/threaded-listeners.ts'

t.test('what nothing refers to is collected', async t => {
  const held = new WeakRef(garbage())
  // What a WeakRef was made of lives as long as the turn in which it was made.
  await new Promise(setImmediate)
  collectGarbage()
  t.equal(held.deref(), undefined)
})

t.test('threads that collect at the same time do not disturb each other', async t => {
  const module = new URL('../../../src/transport/threads/freed-memory.ts', import.meta.url)
  const text = `
    import { collectGarbage } from '${module}'
    for (let i = 0; i < 20; i += 1) collectGarbage()`
  const url = new URL(`data:text/javascript,${encodeURIComponent(text)}`)
  const ends = Array.from({ length: 4 }, () => once(new Worker(url), 'exit'))
  t.strictSame(await Promise.all(ends), [[0], [0], [0], [0]])
})

t.test('what the C library has free goes back', { skip: unbatched }, async t => {
  t.type(await returnFreedMemory(), 'boolean')
})

t.test('compiled code is not written before all of it has been', async t => {
  const directory = t.testdir()
  const module = new URL('../../../src/transport/threads/freed-memory.ts', import.meta.url)
  const text = `
    import { readdirSync } from 'node:fs'
    import { freeCompiledCode, keepCompiledCode } from '${module}'
    const counts = []
    const count = () => counts.push(readdirSync('${directory}', { recursive: true }).length)
    for (const step of [() => {}, freeCompiledCode, keepCompiledCode]) {
      step()
      count()
    }
    await import('${new URL('../../../src/hash.ts', import.meta.url)}')
    freeCompiledCode()
    count()
    process.stdout.write(JSON.stringify(counts))
    process.kill(process.pid, 'SIGKILL')`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', text], {
    env: { ...process.env, NODE_COMPILE_CACHE: directory },
    encoding: 'utf8',
  })
  const [before = 0, freed, kept = 0, freedThen = 0] = JSON.parse(stdout)
  t.equal(freed, before, stderr)
  t.ok(kept > before)
  t.ok(freedThen > kept)
})

function garbage(): object {
  return { octets: new Uint8Array(1000) }
}
