import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { withInstallLock } from '../../scripts/run/install-lock.mjs'

/** The number of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ['--version']).pid
}

function leaveLock(lock: string, owner: number) {
  mkdirSync(lock)
  writeFileSync(join(lock, String(owner)), '')
}

t.test('the lock is there during the work and gone after it', async t => {
  const lock = join(t.testdir(), 'lock')
  await withInstallLock(lock, async () => t.ok(existsSync(join(lock, String(process.pid)))))
  t.notOk(existsSync(lock))
})

t.test('the lock is gone after work that failed', async t => {
  const lock = join(t.testdir(), 'lock')
  const work = async () => {
    throw new Error('no network')
  }
  await t.rejects(withInstallLock(lock, work), { message: 'no network' })
  t.notOk(existsSync(lock))
})

t.test('a lock whose owner is dead is taken over', async t => {
  const lock = join(t.testdir(), 'lock')
  leaveLock(lock, deadPid())
  let isDone = false
  await withInstallLock(lock, async () => {
    isDone = true
  })
  t.ok(isDone)
})

t.test('a lock that a killed owner had just emptied is taken over', async t => {
  const lock = join(t.testdir(), 'lock')
  mkdirSync(lock)
  await withInstallLock(lock, async () => t.ok(existsSync(lock)))
})

t.test('our own number in a lock is from another life', async t => {
  const lock = join(t.testdir(), 'lock')
  leaveLock(lock, process.pid)
  await withInstallLock(lock, async () => t.ok(existsSync(lock)))
})

t.test('of several processes one at a time is in', async t => {
  const folder = t.testdir({ log: '' })
  const module = new URL('../../scripts/run/install-lock.mjs', import.meta.url).href
  const program = `
    import { appendFileSync } from 'node:fs'
    import { withInstallLock } from '${module}'
    await withInstallLock('lock', async () => {
      appendFileSync('log', 'in ')
      await new Promise(resolve => setImmediate(resolve))
      appendFileSync('log', 'out ')
    })`
  const loop = `for i in 1 2 3 4; do "$NODE" --input-type=module -e "$PROGRAM" & done; wait; cat log`
  const env = { NODE: process.execPath, PROGRAM: program }
  const { stdout } = spawnSync('sh', ['-c', loop], { cwd: folder, env, encoding: 'utf8' })
  t.equal(stdout, 'in out '.repeat(4))
})
