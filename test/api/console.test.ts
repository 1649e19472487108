import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { startApi } from '../helpers/api.ts'

const script = 'run()\n'.repeat(100)
const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

t.test('browsers are sent to the console, and API clients are not', async t => {
  const { anonymous } = await startApi(t, { consoleFolder: built(t) })
  const sent = await anonymous.call('GET', '/', { headers: html })
  t.equal(sent.status, 302)
  t.equal(sent.headers.get('x-content-type-options'), 'nosniff')
  t.equal(sent.headers.get('location'), '/console/')
  const wanted = [{}, { accept: '*/*' }, { accept: 'application/json' }]
  for (const headers of wanted) {
    const { status, body } = await anonymous.call('GET', '/', { headers })
    t.equal(status, 200)
    t.equal(body.versions[0].id, 'v2')
  }
})

t.test('the page is served under all of its addresses, and runs only its own scripts', async t => {
  const { anonymous } = await startApi(t, { consoleFolder: built(t) })
  for (const path of ['/console', '/console/', '/console/zones/1']) {
    const { status, text, headers } = await anonymous.call('GET', path, { headers: html })
    t.equal(status, 200, path)
    t.equal(text, '<p>the page</p>')
    t.equal(headers.get('cache-control'), 'no-cache')
    t.equal(headers.get('x-content-type-options'), 'nosniff')
    t.match(headers.get('x-openstack-request-id'), /^req-/)
    const policy = headers.get('content-security-policy') ?? ''
    t.match(policy, /default-src 'none'/)
    t.match(policy, /script-src 'self'(;|$)/)
    t.notMatch(policy, /unsafe/)
  }
})

t.test('its files are kept by browsers for good, and nothing else is given away', async t => {
  const { anonymous } = await startApi(t, { consoleFolder: built(t) })
  const script = await anonymous.get('/console/assets/a-1.js')
  t.equal(script.text, 'run()')
  t.match(script.headers.get('cache-control'), /max-age=31536000, immutable/)
  t.match(script.headers.get('content-type'), /javascript/)
  t.equal(script.headers.get('x-content-type-options'), 'nosniff')
  const hidden = ['', 'none.js', '..%2findex.html', '..%2f..%2fsecret', '%00']
  for (const path of hidden.map(name => `/console/assets/${name}`)) {
    t.equal((await anonymous.get(path)).status, 404, path)
  }
})

t.test('its files are sent compressed to those who take that', async t => {
  const { anonymous } = await startApi(t, { consoleFolder: built(t) })
  const wanted = [
    { accepted: 'gzip, deflate, br', sent: 'br' },
    { accepted: 'gzip', sent: 'gzip' },
    { accepted: 'br;q=0, gzip', sent: 'gzip' },
    { accepted: 'identity', sent: null },
  ]
  for (const { accepted, sent } of wanted) {
    const headers = { 'accept-encoding': accepted }
    const answer = await anonymous.call('GET', '/console/assets/b-2.js', { headers })
    t.equal(answer.headers.get('content-encoding'), sent, accepted)
    t.equal(answer.text, script)
    t.match(answer.headers.get('content-type'), /javascript/)
    t.match(answer.headers.get('cache-control'), /immutable/)
    t.match(answer.headers.get('vary'), /accept-encoding/i)
  }
})

t.test('where nothing is built the API is all there is', async t => {
  const { anonymous } = await startApi(t, { consoleFolder: join(t.testdir({}), 'none') })
  t.equal((await anonymous.call('GET', '/', { headers: html })).status, 200)
  t.equal((await anonymous.get('/console/')).status, 404)
})

function built(t: Test): string {
  const folder = t.testdir({
    secret: 'not for anybody',
    console: { 'index.html': '<p>the page</p>', assets: { 'a-1.js': 'run()', 'b-2.js': script } },
  })
  const path = join(folder, 'console', 'assets', 'b-2.js')
  writeFileSync(`${path}.br`, brotliCompressSync(script))
  writeFileSync(`${path}.gz`, gzipSync(script))
  return join(folder, 'console')
}
