import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync, symlinkSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { Appliance, adminToken, mainFile, runToEnd } from '../helpers/appliance.ts'
import { serverFolder } from '../helpers/server-folder.ts'

t.test('a server that is asked to stop answers what is in flight and ends with 0', async t => {
  const server = await Appliance.start({ dataDirectory: serverFolder(t) })
  t.teardown(() => server.kill())
  const requests = await Promise.all(
    Array.from({ length: 5 }, (_, i) => openRequest(server, `z${i}.example.`)),
  )
  const stopped = server.stop()
  const statuses = requests.map(({ finish }) => finish())
  t.same(await Promise.all(statuses), [201, 201, 201, 201, 201])
  t.equal(await stopped, 0)
})

/** A request that has arrived, as the server's 100 Continue proves, but for its body. */
async function openRequest(server: Appliance, name: string) {
  const message = request(`${server.apiUrl}/v2/zones`, {
    method: 'POST',
    headers: {
      'x-auth-token': adminToken,
      'content-type': 'application/json',
      expect: '100-continue',
    },
  })
  message.flushHeaders()
  await once(message, 'continue')
  const finish = async () => {
    message.end(JSON.stringify({ name, email: 'ops@example.net' }))
    const [response] = await once(message, 'response')
    response.resume()
    return response.statusCode as number
  }
  return { finish }
}

t.test(
  'what was created before a stop is there after the next start, same token included',
  async t => {
    const dataDirectory = serverFolder(t)
    const first = await Appliance.start({ dataDirectory })
    t.teardown(() => first.kill())
    const body = { name: 'kept.example.', email: 'ops@example.net' }
    const zone = await first.json<{ id: string }>('POST', '/v2/zones', body)
    t.equal(await first.stop('SIGHUP'), 0, 'as the end of a terminal does it')
    const second = await Appliance.start({ dataDirectory })
    t.teardown(() => second.kill())
    t.match(await second.json('GET', `/v2/zones/${zone.id}`), {
      name: 'kept.example.',
      status: 'ACTIVE',
    })
    t.equal((await fetch(`${second.apiUrl}/readyz`)).status, 200)
    t.equal((await fetch(`${second.apiUrl}/healthz`)).status, 200)
  },
)

t.test(
  'a start that cannot succeed says why in one line and ends with the fitting code',
  async t => {
    const dataDirectory = serverFolder(t)
    const running = await Appliance.start({ dataDirectory })
    t.teardown(() => running.kill())
    const { host, port } = running.endpoint()
    const rows: readonly [
      what: string,
      environment: Record<string, string>,
      code: number,
      line: RegExp,
    ][] = [
      [
        'unknown setting',
        { ZONEWRIGHT_DATADIR: 'x' },
        78,
        /ZONEWRIGHT_DATADIR.*ZONEWRIGHT_DATA_DIR/,
      ],
      ['bad value', { ZONEWRIGHT_DNS_LISTEN: 'nowhere' }, 78, /ZONEWRIGHT_DNS_LISTEN/],
      [
        'no directory',
        { ZONEWRIGHT_DATA_DIR: mainFile },
        78,
        /ZONEWRIGHT_DATA_DIR cannot be .*: it is no directory/,
      ],
      ['data in use', { ZONEWRIGHT_DATA_DIR: dataDirectory }, 69, /in use by another process/],
      [
        'a file in the place of a folder',
        { ZONEWRIGHT_DATA_DIR: t.testdir({ journal: '' }) },
        69,
        /ENOTDIR.*journal.*Move away the file/,
      ],
      [
        'port in use',
        { ZONEWRIGHT_DATA_DIR: `${dataDirectory}/other`, ZONEWRIGHT_DNS_LISTEN: `${host}:${port}` },
        69,
        /cannot listen on .*another program has the port/,
      ],
    ]
    for (const [what, environment, code, line] of rows) {
      const { exitCode, errors } = await runToEnd(environment)
      t.equal(exitCode, code, what)
      t.match(errors, line, what)
      t.equal(
        errors
          .trim()
          .split('\n')
          .filter(text => text.startsWith('zonewright:')).length,
        1,
        what,
      )
    }
  },
)

t.test('output that finds a full disk is said in one line', t => {
  const { status, stderr } = spawnSync(process.execPath, [mainFile, 'settings'], {
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
  })
  t.equal(status, 69)
  t.match(String(stderr), /^zonewright: ENOSPC.*Make room on the disk\n$/)
  t.end()
})

t.test('a made-up password is in a file and not in the log', async t => {
  const dataDirectory = serverFolder(t)
  const environment = { ZONEWRIGHT_API_LISTEN: '0.0.0.0:0' }
  const running = await Appliance.start({ dataDirectory, environment })
  t.teardown(() => running.kill())
  const password = readFileSync(join(dataDirectory, 'initial-admin-password'), 'utf8').trim()
  const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`
  const { port } = new URL(running.apiUrl)
  const response = await fetch(`http://127.0.0.1:${port}/v2/zones`, { headers: { authorization } })
  t.equal(response.status, 200)
  t.notMatch(running.startLog, password)
  t.match(running.startLog, 'plain HTTP beyond this machine')
})

t.test('the program starts from any folder, whatever it is called', async t => {
  const folder = join(serverFolder(t), 'two words, 100% é')
  symlinkSync(join(import.meta.dirname, '../..'), folder)
  const child = spawn(process.execPath, [
    '--preserve-symlinks',
    '--preserve-symlinks-main',
    join(folder, 'src/main.ts'),
    '--version',
  ])
  const printed = child.stdout.setEncoding('utf8').toArray()
  const [code] = await once(child, 'exit')
  t.equal(code, 0)
  t.match((await printed).join(''), /^\d+\.\d+\.\d+\n$/)
})
