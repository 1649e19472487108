import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { queryFor } from '../helpers/ask.ts'
import { memoryLog } from '../helpers/log.ts'
import { askOverTcp, askOverUdp } from '../helpers/query-load.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

t.test('dnstap-read of BIND reads what is written, with queries and responses', async t => {
  const path = join(t.testdir({}), 'queries.tap')
  const environment = { ZONEWRIGHT_DNSTAP: path }
  const server = await startWholeServer(t, { dataDirectory: serverFolder(t), environment })
  const [dns] = server.app.dns
  if (dns === undefined) throw new Error('it listens')
  await server.admin.post('/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  await askOverUdp(dns, [queryFor('www.example.com. MX')])
  await askOverTcp(dns, [queryFor('example.com. SOA')])
  await server.app.close()
  const lines = execFileSync('dnstap-read', [path], { encoding: 'utf8' }).trimEnd().split('\n')
  t.equal(lines.length, 2)
  t.ok(
    lines.some(line => /AR 127\.0\.0\.1:\d+ <- .* UDP \d+b www\.example\.com\/IN\/MX$/.test(line)),
    String(lines[0]),
  )
  t.ok(
    lines.some(line => / TCP \d+b example\.com\/IN\/SOA$/.test(line)),
    String(lines[1]),
  )
  const yaml = execFileSync('dnstap-read', ['-y', path], { encoding: 'utf8' })
  t.match(yaml, /status: NXDOMAIN/)
})

t.test('fstrm_capture takes what is sent to its socket', async t => {
  const folder = serverFolder(t)
  const [socket, path] = [join(folder, 'socket'), join(folder, 'queries.tap')]
  const type = 'protobuf:dnstap.Dnstap'
  const capture = spawn('fstrm_capture', ['-t', type, '-u', socket, '-w', path], {
    stdio: 'ignore',
  })
  const exited = once(capture, 'exit')
  t.teardown(() => capture.kill())
  await until(() => existsSync(socket))
  const environment = { ZONEWRIGHT_DNSTAP: `unix:${socket}` }
  const log = memoryLog('info')
  const dataDirectory = serverFolder(t)
  const server = await startWholeServer(t, { dataDirectory, environment, logger: log.logger })
  const [dns] = server.app.dns
  if (dns === undefined) throw new Error('it listens')
  await server.admin.post('/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  await until(() => log.text().includes('a reader takes queries'))
  await askOverUdp(dns, [queryFor('www.example.com. MX')])
  // It says that the reader has had all.
  await server.app.close()
  capture.kill()
  await exited
  const text = execFileSync('dnstap-read', [path], { encoding: 'utf8' })
  t.match(text, / UDP \d+b www\.example\.com\/IN\/MX$/m)
})
