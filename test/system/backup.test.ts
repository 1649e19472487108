import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Appliance, adminToken, mainFile } from '../helpers/appliance.ts'
import { programEnvironment } from '../helpers/program-environment.ts'
import { queryAddresses } from '../helpers/query.ts'
import { serverFolder } from '../helpers/server-folder.ts'

/** Runs a command of the program and returns what it printed. */
function run(words: readonly string[], environment: Record<string, string> = {}): string {
  const env = { ...programEnvironment, ...environment }
  return execFileSync(process.execPath, [mainFile, ...words], { env, encoding: 'utf8' })
}

t.test('a server is backed up while it is written to, and another one goes on', async t => {
  const folder = serverFolder(t)
  const data = join(folder, 'data')
  const server = await Appliance.start({ dataDirectory: data })
  t.teardown(() => server.kill())
  const zone = { name: 'kept.example.', email: 'ops@example.net' }
  const { id } = await server.json<{ id: string }>('POST', '/v2/zones', zone)
  const add = (name: string) =>
    server.json('POST', `/v2/zones/${id}/recordsets`, { name, type: 'A', records: ['192.0.2.7'] })
  let count = 0
  let isStopped = false
  const writing = (async () => {
    for (; !isStopped; count += 1) await add(`h${count}.kept.example.`)
  })()
  while (count < 50) await new Promise(setImmediate)
  const before = count
  const filesBefore = filesIn(data)
  const client = ['--url', server.apiUrl, '--token', adminToken]
  const archive = join(folder, 'backup.tar')
  const saved = await new Promise<number | null>(resolve =>
    execLater([...client, 'backup', archive], resolve),
  )
  t.equal(saved, 0)
  isStopped = true
  await writing

  const names = execFileSync('tar', ['-tf', archive], { encoding: 'utf8' }).split('\n')
  const filesAfter = filesIn(data)
  for (const name of filesBefore)
    if (filesAfter.has(name)) t.ok(names.includes(name), `${name} is in it`)

  const restored = join(folder, 'restored')
  t.match(
    run(['restore', archive, '--data-dir', restored]),
    /^Restored: .*\n.*\nDifferences: none\n$/,
  )
  const again = spawnSync(process.execPath, [mainFile, 'restore', archive, '--data-dir', restored])
  t.equal(again.status, 69, String(again.stderr))
  const cut = join(folder, 'cut.tar')
  writeFileSync(cut, readFileSync(archive).subarray(0, 5000))
  const torn = spawnSync(process.execPath, [mainFile, 'restore', cut, '--data-dir', `${data}-2`])
  t.match(String(torn.stderr), `${cut} cannot be restored: it ends early, after octet 5000\n`)
  const other = await Appliance.start({ dataDirectory: restored })
  t.teardown(() => other.kill())
  for (const n of [0, 1, before - 1])
    t.same(await queryAddresses(other.endpoint(), `h${n}.kept.example.`), ['192.0.2.7'])
  t.equal(await other.stop(), 0)

  const earlier = join(folder, 'earlier')
  const first = run(['restore', archive, '--data-dir', earlier, '--at', '1'])
  t.match(first, /^Rows as they were behind change 1: /m)
})

/** The files of a data directory that belong in a backup. While it is written to, files appear and disappear. */
function filesIn(directory: string): ReadonlySet<string> {
  const others = ['lock', 'snapshot', 'manifest.json.prev', 'room.tmp']
  const found = readdirSync(directory, { recursive: true, withFileTypes: true }).filter(
    file => file.isFile() && !others.includes(file.name) && !file.parentPath.endsWith('table'),
  )
  return new Set(
    found.map(({ parentPath, name }) => join(parentPath, name).slice(directory.length + 1)),
  )
}

function execLater(words: readonly string[], done: (code: number | null) => void): void {
  spawn(process.execPath, [mainFile, ...words], { stdio: 'ignore' }).on('exit', done)
}
