import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t from 'tap'
import { keepPassword, passwordFileIn, requireDataDirectory } from '../../src/app/data-directory.ts'
import { makeDurableDirectory } from '../../src/durable/directories.ts'
import { realFiles } from '../../src/durable/file-system.ts'
import { allLost, SimulatedDisk } from '../helpers/simulated-disk.ts'

t.test('a directory that is missing is created for its owner only', async t => {
  const directory = join(t.testdir(), 'a', 'b')
  requireDataDirectory(directory)
  t.equal(statSync(directory).mode & 0o777, 0o700)
  requireDataDirectory(directory)
})

t.test('what cannot be a directory is reported in one line with the setting', async t => {
  const folder = t.testdir({ file: 'x' })
  symlinkSync('loop', join(folder, 'loop'))
  symlinkSync('nowhere/data', join(folder, 'dangling'))
  const rows: readonly [string, RegExp][] = [
    ['file', /no directory$/],
    ['file/below', /no directory$/],
    ['loop/below', /in circles$/],
    ['dangling', /no directory$/],
    ['/proc/nope/data', /does not exist and cannot be made$/],
    ['x'.repeat(300), /too long$/],
  ]
  for (const [path, reason] of rows) {
    const error = { name: 'ConfigError', message: reason }
    t.throws(() => requireDataDirectory(resolve(folder, path)), error, path)
  }
})

t.test('a made-up password is in a file that only its owner reads', async t => {
  const directory = t.testdir()
  writeFileSync(passwordFileIn(directory), 'old')
  chmodSync(passwordFileIn(directory), 0o644)
  const remove = await keepPassword({ files: realFiles, directory }, 'made up')
  t.equal(readFileSync(passwordFileIn(directory), 'utf8'), 'made up\n')
  t.equal(statSync(passwordFileIn(directory)).mode & 0o777, 0o600)
  await remove()
  t.notOk(existsSync(passwordFileIn(directory)))
})

t.test('it stays there after a loss of power', async t => {
  const files = new SimulatedDisk()
  const directory = '/srv/data'
  await makeDurableDirectory(files, directory)
  await keepPassword({ files, directory }, 'made up')
  const left = await files.after(allLost).read(passwordFileIn(directory))
  t.equal(String(left), 'made up\n')
})
