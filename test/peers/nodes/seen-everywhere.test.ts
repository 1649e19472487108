import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Appliance } from '../../helpers/appliance.ts'
import { openNodes } from '../../helpers/nodes.ts'
import { queryAddresses } from '../../helpers/query.ts'
import { serverFolder } from '../../helpers/server-folder.ts'
import { until } from '../../helpers/until.ts'

t.test(
  'what is written at any node is answered by all of them, and by one that starts again',
  async t => {
    const cluster = await openNodes(t)
    const first = await cluster.start('zw1')
    const others = await Promise.all(['zw2', 'zw3'].map(name => cluster.start(name)))
    const nodes = [first, ...others]
    const zone = { name: 'example.com.', email: 'a@example.com' }
    const { id } = await first.json<{ id: string }>('POST', '/v2/zones', zone)
    const path = `/v2/zones/${id}/recordsets`
    for (const [i, node] of nodes.entries()) {
      const name = `www${i}.example.com.`
      const recordset = { name, type: 'A', records: [`192.0.2.${i}`] }
      await until(async () => (await node.request('GET', `/v2/zones/${id}`)).ok)
      await node.json('POST', path, recordset)
      for (const other of nodes)
        t.same(
          await until(
            () => queryAddresses(other.endpoint(), name),
            found => found.length > 0,
          ),
          [`192.0.2.${i}`],
        )
      t.match(await node.request('POST', path, recordset), { status: 409 })
    }
    const [second, third] = others
    await second?.stop()
    await third?.kill()
    const added = { name: 'late.example.com.', type: 'A', records: ['192.0.2.99'] }
    await first.json('POST', path, added)
    for (const name of ['zw2', 'zw3']) {
      const node = await cluster.start(name)
      const found = () => queryAddresses(node.endpoint(), 'late.example.com.')
      t.same(await until(found, addresses => addresses.length > 0), ['192.0.2.99'])
    }
  },
)

/** Writes which CommonJS modules a process has loaded, when it ends. */
const noteModules = `data:text/javascript,${encodeURIComponent(`
  import { createRequire } from 'node:module'
  import { writeFileSync } from 'node:fs'
  import { isMainThread } from 'node:worker_threads'
  if (isMainThread) process.on('exit', () =>
    writeFileSync(process.env.LOADED_FILE, Object.keys(createRequire('/x.js').cache).join('\\n')))
`)}`

t.test('a server of its own loads nothing of pg, and a node does', async t => {
  const folder = serverFolder(t)
  const loadedBy = async (name: string, start: (options: object) => Promise<Appliance>) => {
    const file = join(folder, name)
    const environment = { NODE_OPTIONS: `--import=${noteModules}`, LOADED_FILE: file }
    const server = await start(environment)
    await server.stop()
    return readFileSync(file, 'utf8').split('\n')
  }
  const isOfPg = (path: string) => path.includes('/node_modules/pg')
  const own = await loadedBy('own', environment =>
    Appliance.start({ dataDirectory: join(folder, 'data'), environment: { ...environment } }),
  )
  t.ok(own.length > 10, 'it has loaded others')
  t.same(own.filter(isOfPg), [])
  const cluster = await openNodes(t)
  const node = await loadedBy('node', environment => cluster.start('zw1', { ...environment }))
  t.ok(node.some(isOfPg))
})
