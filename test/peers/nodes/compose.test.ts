import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { settings } from '../../../src/config/settings.ts'
import { serverFolder } from '../../helpers/server-folder.ts'
import { until } from '../../helpers/until.ts'

// The claims of scripts/ops/nodes about this program and its proxy, HAProxy.

const folder = join(import.meta.dirname, '../../../scripts/ops/nodes')
const fileNamed = (name: string) => readFileSync(join(folder, name), 'utf8')

type Service = {
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
}
type Compose = {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: object
}

t.test('the compose file has settings of this program, and files that are there', async t => {
  const compose = parse(fileNamed('compose.yaml'), { merge: true }) as Compose
  const names = ['zw1', 'zw2', 'zw3']
  for (const name of names) {
    const { environment = {} } = compose.services[name] ?? {}
    t.same(
      Object.keys(environment).filter(key => !Object.hasOwn(settings, key)),
      [],
    )
    t.match(environment, {
      ZONEWRIGHT_NODE: name,
      ZONEWRIGHT_NODE_URL: `http://${name}:9001`,
      ZONEWRIGHT_STORE_URL: '@db1/zonewright,postgres://zonewright@db2/',
    })
  }
  for (const { volumes = [] } of Object.values(compose.services))
    for (const volume of volumes) {
      const [from = ''] = volume.split(':')
      if (from.startsWith('./')) t.ok(fileNamed(from))
      else t.ok(Object.hasOwn(compose.volumes, from), from)
    }
  t.same(
    [...fileNamed('haproxy.cfg').matchAll(/^ {2}server (\w+) (\w+:\d+)$/gm)].map(found => found[2]),
    names.map(name => `${name}:9001`),
  )
  for (const script of ['primary.sh', 'standby.sh'])
    t.equal(spawnSync('bash', ['-n', join(folder, script)]).status, 0, script)
})

/** Answers with its name, and is ready while `isReady` is true. */
async function startNode(t: Test, name: string) {
  const node = { isReady: true, port: 0, stop: () => stop() }
  const server = createServer(({ url }, response) => {
    response.writeHead(url === '/readyz' && !node.isReady ? 503 : 200).end(name)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  t.teardown(stop)
  node.port = (server.address() as AddressInfo).port
  return node
}

t.test('the proxy sends nothing to a node that is not ready', async t => {
  const nodes = await Promise.all(['zw1', 'zw2', 'zw3'].map(name => startNode(t, name)))
  const ownFolder = serverFolder(t)
  const socketPath = join(ownFolder, 'api')
  const file = join(ownFolder, 'haproxy.cfg')
  const portOf = (number: string) => nodes[Number(number) - 1]?.port
  const configuration = fileNamed('haproxy.cfg')
    .replace('bind :9001', `bind ${socketPath}`)
    .replaceAll(/zw(\d):9001/g, (_, number) => `127.0.0.1:${portOf(number)}`)
  writeFileSync(file, configuration)
  const checked = spawnSync('/usr/sbin/haproxy', ['-c', '-f', file], { encoding: 'utf8' })
  t.equal(checked.status, 0, checked.stderr)
  const proxy = spawn('/usr/sbin/haproxy', ['-db', '-f', file], { stdio: 'ignore' })
  const ended = once(proxy, 'exit')
  t.teardown(async () => {
    proxy.kill('SIGKILL')
    await ended
  })

  const ask = async () => {
    const asked = request({ socketPath, path: '/v2/zones', agent: false })
    try {
      const [response] = await once(asked.end(), 'response')
      return await text(response)
    } catch {
      return 'nothing'
    }
  }
  const answering = async () => [...new Set([await ask(), await ask(), await ask()])].sort().join()
  t.equal(await until(answering, found => found === 'zw1,zw2,zw3'), 'zw1,zw2,zw3')
  for (const node of nodes) node.isReady = node === nodes[2]
  t.equal(await until(answering, found => found === 'zw3'), 'zw3')
  for (const node of nodes) node.isReady = true
  t.equal(await until(answering, found => found === 'zw1,zw2,zw3'), 'zw1,zw2,zw3')

  nodes[0]?.stop()
  const answers = await Promise.all(Array.from({ length: 12 }, ask))
  t.same([...new Set(answers)].sort(), ['zw2', 'zw3'], 'nor to one that has just stopped')
})
