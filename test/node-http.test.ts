import { spawnSync } from 'node:child_process'
import t from 'tap'

/** Whether a process that imports a module has loaded undici. */
function loadsUndici(module: string): boolean {
  const script = `await import(${JSON.stringify(module)})
    console.log(process.moduleLoadList.some(name => name.includes('undici')))
    process.exit()`
  const args = ['--no-warnings', '--input-type=module', '--eval', script]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (stdout === '') throw new Error(stderr)
  return stdout === 'true\n'
}

t.test('no part of the server imports `node:http`, which loads undici', async t => {
  t.equal(loadsUndici('node:http'), true)
  t.equal(loadsUndici(new URL('../src/app/app.ts', import.meta.url).href), false)
})
