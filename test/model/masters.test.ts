import t from 'tap'
import { masterErrors, parseMaster } from '../../src/model/masters.ts'

t.test('a master is a host, with a port where that is not 53', async t => {
  const good: [string, string, number][] = [
    ['192.0.2.1', '192.0.2.1', 53],
    ['192.0.2.1:5353', '192.0.2.1', 5353],
    ['1.example.com', '1.example.com', 53],
    ['ns1.example.com', 'ns1.example.com', 53],
    ['ns1.example.com.:65535', 'ns1.example.com.', 65535],
    ['[2001:db8::1]', '2001:db8::1', 53],
    ['[2001:db8::1]:5300', '2001:db8::1', 5300],
  ]
  for (const [text, host, port] of good) t.same(parseMaster(text), { host, port }, text)
})

t.test('anything else is an error at its place in the list', async t => {
  const bad = [
    '',
    ':53',
    '192.0.2.1:',
    '192.0.2.1:0',
    '192.0.2.1:65536',
    '192.0.2.1:dns',
    '2001:db8::1',
    '[192.0.2.1]',
    '[2001:db8::1',
    'ns 1.example.com',
    '192.0.2.1\n',
    '300.0.2.1',
    '192.0.2',
    '192.0.2.1.',
    'ns1.example.1',
    '53',
  ]
  for (const text of bad) {
    t.match(masterErrors(['192.0.2.1', text]), [{ path: ['masters', 1] }], JSON.stringify(text))
  }
})

t.test('a master over TLS is known by a name, a public key, or not at all', async t => {
  const pin = Buffer.alloc(32, 1).toString('base64')
  const good: [string, object][] = [
    ['192.0.2.1#ns1.example.net.', { port: 853, tls: { kind: 'name', name: 'ns1.example.net' } }],
    ['192.0.2.1:53#192.0.2.1', { port: 53, tls: { kind: 'name', name: '192.0.2.1' } }],
    [`[2001:db8::1]#sha256=${pin}`, { host: '2001:db8::1', tls: { kind: 'pin', sha256: pin } }],
    ['ns1.example.net#tls', { host: 'ns1.example.net', port: 853, tls: { kind: 'anyone' } }],
  ]
  for (const [text, master] of good) t.match(parseMaster(text), master, text)
  const bad = ['192.0.2.1#', '192.0.2.1#sha256=', '192.0.2.1#sha256=AAAA', '192.0.2.1#a b', '#tls']
  for (const text of [...bad, '192.0.2.1#tls#tls', '2001:db8::1#tls'])
    t.equal(parseMaster(text), undefined, text)
})
