import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { serverFolder } from '../helpers/server-folder.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

t.test('administrators see what is measured, and nobody else does', async t => {
  const server = await startWholeServer(t, { dataDirectory: serverFolder(t) })
  const projectId = await server.makeProject('acme')
  const member = await server.makeAccount({ name: 'ann', projectId, role: 'member' })
  const ann = server.bearer(await server.login(member))
  t.equal((await server.anonymous.get('/metrics')).status, 401)
  t.equal((await ann.get('/metrics')).body.type, 'forbidden')
  const zone = { name: 'example.com.', email: 'ops@example.com' }
  t.equal((await ann.post('/v2/zones', zone)).status, 201)
  const { status, headers, text } = await server.admin.get('/metrics')
  t.equal(status, 200)
  t.match(headers.get('content-type'), /^text\/plain; version=0\.0\.4/)
  t.match(text, /^zonewright_zones 1$/m)
  t.match(text, /^zonewright_projects 1$/m)
  t.match(text, /^zonewright_read_only 0$/m)
  t.match(text, /^zonewright_dns_responses_total\{transport="udp",rcode="NOERROR"\} 0$/m)
  t.match(text, /^zonewright_thread_restarts_total 0$/m)
  t.match(text, /route="\/v2\/zones",status="201"\} 1$/m)
  t.match(text, /^zonewright_secondary_transfers_total\{result="failed"\} 0$/m)
  t.match(text, /^zonewright_transfers_sent_total\{content="difference"\} 0$/m)
  t.notMatch(text, /example/, 'no label has a name of somebody')
})

t.test('metrics have an address of their own, with a token', async t => {
  const environment = {
    ZONEWRIGHT_METRICS_LISTEN: '127.0.0.1:0',
    ZONEWRIGHT_METRICS_TOKEN: 'm3trics',
  }
  const server = await startWholeServer(t, { dataDirectory: serverFolder(t), environment })
  const { host, port } = server.app.metrics ?? {}
  const scrape = (token?: string) =>
    fetch(`http://${host}:${port}/metrics`, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    })
  t.equal((await scrape()).status, 401)
  t.equal((await scrape('other')).status, 401)
  const scraped = await scrape('m3trics')
  t.equal(scraped.status, 200)
  t.match(await scraped.text(), /^zonewright_build_info/m)
  t.equal((await fetch(`http://${host}:${port}/v2/zones`)).status, 404)
  t.equal((await server.admin.get('/metrics')).status, 404)
})

t.test('a job is named for as long as it fails', async t => {
  const directory = join(t.testdir({ taken: '' }), 'taken')
  const environment = { ZONEWRIGHT_BACKUP_DIR: directory }
  const server = await startWholeServer(t, { dataDirectory: serverFolder(t), environment })
  await server.app.runJob('back-up')
  const failing = /^zonewright_job_failing\{job="back-up"\} 1$/m
  t.match((await server.admin.get('/metrics')).text, failing)
  rmSync(directory)
  await server.app.runJob('back-up')
  t.notMatch((await server.admin.get('/metrics')).text, failing)
})
