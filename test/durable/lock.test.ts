import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { lockDirectory, StoreLockedError } from '../../src/durable/lock.ts'

async function newDirectory(t: Test, name = ''): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'zonewright-lock-'))
  t.teardown(() => rm(parent, { recursive: true }))
  const directory = join(parent, name)
  await mkdir(directory, { recursive: true })
  return directory
}

t.test('a directory is locked once, by whatever path, until it is unlocked', async t => {
  const directory = await newDirectory(t, 'data')
  const alias = join(directory, '..', 'alias')
  await symlink(directory, alias)
  const unlock = await lockDirectory(directory)
  await t.rejects(lockDirectory(directory), StoreLockedError)
  await t.rejects(lockDirectory(alias), StoreLockedError)
  await unlock()
  t.same(await readdir(directory), [], 'nothing is left of it')
  await (await lockDirectory(alias))()
})

t.test('a process that is killed leaves no lock', async t => {
  const directory = await newDirectory(t)
  const lockModule = new URL('../../src/durable/lock.ts', import.meta.url).href
  const program = `import { lockDirectory } from ${JSON.stringify(lockModule)}
    await lockDirectory(${JSON.stringify(directory)})
    setInterval(() => undefined, 1000)
    console.log('locked')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  await t.rejects(lockDirectory(directory), StoreLockedError)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await (await lockDirectory(directory))()
})

t.test(
  'a process in another container, of which only the file is seen, has the lock too',
  async t => {
    const directory = await newDirectory(t)
    const other = createServer()
    other.listen(join(directory, 'lock'))
    await once(other, 'listening')
    await t.rejects(lockDirectory(directory), StoreLockedError)
    await t.rejects(lockDirectory(directory), StoreLockedError, 'being refused leaves no lock')
    other.close()
    await once(other, 'close')
    await (await lockDirectory(directory))()
  },
)

t.test(
  'a path that is too long for a socket is locked all the same',
  { skip: process.platform !== 'linux' && 'needs abstract sockets' },
  async t => {
    const directory = await newDirectory(t, 'x'.repeat(120))
    const unlock = await lockDirectory(directory)
    await t.rejects(lockDirectory(directory), StoreLockedError)
    await unlock()
  },
)
