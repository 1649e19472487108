import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t from 'tap'
import { keepPassword, passwordFileIn, requireDataDirectory } from '../../src/app/data-directory.ts'

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
  keepPassword(directory, 'made up')
  t.equal(readFileSync(passwordFileIn(directory), 'utf8'), 'made up\n')
  t.equal(statSync(passwordFileIn(directory)).mode & 0o777, 0o600)
})
