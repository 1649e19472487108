import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'

t.test('a file that cannot be read is an error in one line, with the reason', async t => {
  const folder = t.testdir()
  const main = join(import.meta.dirname, '../../src/main.ts')
  const reasonOf = (file: string) => {
    const words = ['import', 'transfer', '192.0.2.1', '--list', file]
    return spawnSync(process.execPath, [main, ...words], { encoding: 'utf8' }).stderr
  }
  const missing = join(folder, 'missing')
  t.equal(reasonOf(missing), `zonewright: ${missing} cannot be read: no such file or directory\n`)
  t.match(reasonOf(folder), /: illegal operation on a directory\n$/)
})
