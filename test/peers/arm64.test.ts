import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { npmCi } from '../../scripts/run/install.mjs'
import { root, runtimeNode, runtimePackage } from '../../scripts/run/paths.mjs'
import { Appliance, type Endpoint } from '../helpers/appliance.ts'
import { serverFolder } from '../helpers/server-folder.ts'

// The compiled server on the other processor that it knows, with the packages that npm brings there. It is emulated,
// which shows that structures, constants and calls are right, and nothing about speed or the order in which one
// processor sees what another writes.

const emulator = '/usr/bin/qemu-aarch64-static'
/** Debian's C and C++ libraries for that processor. */
const libraries = '/usr/aarch64-linux-gnu'

const isInstalled = [emulator, join(libraries, 'lib', 'libstdc++.so.6')].every(existsSync)
const skip = isInstalled ? false : 'needs qemu-user-static and libstdc++6-arm64-cross'

const run = promisify(execFile)

t.test('arm64: answers in batches, over UDP and TCP', { skip }, async t => {
  const folder = serverFolder(t)
  const [node] = await Promise.all([installNode(folder), installServer(folder)])
  const server = await Appliance.start({
    dataDirectory: join(folder, 'data'),
    // Two threads share each port, and wildcards are told which address was asked.
    environment: { ZONEWRIGHT_DNS_LISTEN: '0.0.0.0:0,[::]:0', ZONEWRIGHT_DNS_WORKERS: '2' },
    command: [emulator, '-L', libraries, node, join(folder, 'dist', 'main.js')],
  })
  t.teardown(() => server.stop())
  t.notMatch(server.startLog, 'without threads', 'its threads have passed their self-test')

  await makeZone(server)
  for (const [host, endpoint] of [
    ['127.0.0.2', server.endpoint(4)],
    ['::1', server.endpoint(6)],
  ] as const) {
    for (const transport of ['+notcp', '+tcp']) {
      const at = { host, port: endpoint.port }
      t.equal(await dig(at, transport), '192.0.2.1\n', `${host} ${transport}`)
    }
  }
  await answersMany(t, { host: '127.0.0.1', port: server.endpoint(4).port })
  t.equal(await server.stop(), 0)
})

/** Installs the Node for arm64 of `scripts/runtime` and returns its path. */
async function installNode(folder: string): Promise<string> {
  const target = join(folder, 'runtime')
  await installPackages(runtimePackage, target)
  return runtimeNode(target, 'arm64')
}

/** Compiles the server, as for an image, with its packages for arm64. */
async function installServer(folder: string): Promise<void> {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const project = join(root, 'scripts', 'tsconfig.build.json')
  const output = join(folder, 'dist')
  await Promise.all([
    run(process.execPath, [compiler, '-p', project, '--outDir', output]),
    installPackages(root, folder),
  ])
}

/** Installs what the lockfile of one folder says on arm64 into another. */
async function installPackages(from: string, to: string): Promise<void> {
  mkdirSync(to, { recursive: true })
  for (const file of ['package.json', 'package-lock.json']) cpSync(join(from, file), join(to, file))
  await npmCi(to, ['--omit=dev', '--os=linux', '--cpu=arm64'])
}

async function makeZone(server: Appliance): Promise<void> {
  const zone = { name: 'example.org.', email: 'ops@example.org' }
  const { id } = await server.json<{ id: string }>('POST', '/v2/zones', zone)
  const set = { name: 'www.example.org.', type: 'A', records: ['192.0.2.1'] }
  await server.json('POST', `/v2/zones/${id}/recordsets`, set)
}

async function dig({ host, port }: Endpoint, ...words: string[]): Promise<string> {
  const at = [`@${host}`, '-p', String(port), ...words]
  const { stdout } = await run('dig', [...at, '+short', '+time=20', 'www.example.org'])
  return stdout
}

/** So many at a time that some are taken in together. */
async function answersMany(t: Test, at: Endpoint): Promise<void> {
  const answers = await Promise.all(Array.from({ length: 50 }, () => dig(at)))
  t.same(new Set(answers), new Set(['192.0.2.1\n']), 'many at once')
}
