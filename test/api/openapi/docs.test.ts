import t from 'tap'
import { serverFolder } from '../../helpers/server-folder.ts'
import { startWholeServer } from '../../helpers/whole-server.ts'

const { anonymous } = await startWholeServer(t, { dataDirectory: serverFolder(t) })

t.test('the page loads what this server has and nothing else', async t => {
  const { status, headers, text } = await anonymous.get('/docs')
  t.equal(status, 200)
  t.match(headers.get('content-type'), /^text\/html/)
  const policy = headers.get('content-security-policy') ?? ''
  t.match(policy, /default-src 'none'/)
  t.notMatch(policy, /unsafe|https?:|\*/)
  const addresses = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address = '']) => address)
  t.equal(addresses.length, 3)
  for (const address of addresses) {
    const answer = await anonymous.with({ accept: '*/*' }).get(`/${address}`)
    t.equal(answer.status, 200, address)
    t.match(answer.headers.get('content-type'), /^text\/(?:css|javascript)/, address)
    t.equal(answer.headers.get('content-security-policy'), policy, address)
    t.ok(answer.text.length > 100, address)
  }
})

t.test('other files of the package are not sent', async t => {
  for (const file of ['index.html', 'package.json', '..%2fpackage.json', '__proto__'])
    t.equal((await anonymous.get(`/docs/${file}`)).status, 404, file)
})
