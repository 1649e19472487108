import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'

const main = join(import.meta.dirname, '../../src/main.ts')

t.test('a file that cannot be read is an error in one line, with the reason', async t => {
  const folder = t.testdir()
  const reasonOf = (file: string) => {
    const words = ['import', 'transfer', '192.0.2.1', '--list', file]
    return spawnSync(process.execPath, [main, ...words], { encoding: 'utf8' }).stderr
  }
  const missing = join(folder, 'missing')
  t.equal(reasonOf(missing), `zonewright: ${missing} cannot be read: no such file or directory\n`)
  t.match(reasonOf(folder), /: illegal operation on a directory\n$/)
})

for (const command of ['settings', '--help'])
  t.test(`${command}: a reader that stops early is no error`, async t => {
    const child = spawn(process.execPath, [main, command], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    const [errors, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')])
    t.equal(errors, '')
    t.equal(exitCode, 0)
  })
