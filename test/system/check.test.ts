import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import t from 'tap'
import { Appliance, adminToken, mainFile } from '../helpers/appliance.ts'
import { programEnvironment } from '../helpers/program-environment.ts'
import { serverFolder } from '../helpers/server-folder.ts'

t.test(
  'check asks the server that runs, reads the files of one that does not, and says so by its exit code',
  async t => {
    const dataDirectory = serverFolder(t)
    const server = await Appliance.start({ dataDirectory })
    t.teardown(() => server.kill())
    const body = { name: 'example.com.', email: 'ops@example.net' }
    await server.json('POST', '/v2/zones', body)
    const address = new URL(server.apiUrl).host
    const environment = { ZONEWRIGHT_DATA_DIR: dataDirectory, ZONEWRIGHT_API_LISTEN: address }

    const asked = await check({ ...environment, ZONEWRIGHT_ADMIN_TOKEN: adminToken })
    t.match(asked, { exitCode: 0, output: /zones 1, recordsets 2, .*by the server at/ })
    const refused = await check({ ...environment, ZONEWRIGHT_ADMIN_TOKEN: 'another' })
    const words = /^zonewright: http:.* does not check itself: .* the login is not accepted\.$/m
    t.match(refused, { exitCode: 69, errors: words })
    t.match(await check(environment), { exitCode: 0 }, 'by the password that the start made up')
    rmSync(`${dataDirectory}/initial-admin-password`)
    t.match(await check(environment), { exitCode: 69, errors: /set ZONEWRIGHT_ADMIN_TOKEN/ })

    t.equal(await server.stop(), 0)
    const read = await check(environment)
    t.match(read, { exitCode: 0, output: /zones 1, recordsets 2, .*\nDifferences: none/ })
    for (const name of ['manifest.json', 'manifest.json.prev'])
      rmSync(`${dataDirectory}/${name}`, { force: true })
    t.match(await check(environment), {
      exitCode: 1,
      output: /manifest\.json: .*\n.*\nDifferences: 1/,
    })
  },
)

async function check(environment: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [mainFile, 'check'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...programEnvironment, ...environment },
  })
  let output = ''
  let errors = ''
  child.stdout.on('data', chunk => {
    output += chunk
  })
  child.stderr.on('data', chunk => {
    errors += chunk
  })
  const [exitCode] = await once(child, 'close')
  return { exitCode: exitCode as number | null, output, errors }
}
