import type { IncomingMessage } from 'node:http'
import t from 'tap'
import { publicUrlOf } from '../../src/api/addresses.ts'

function requestTo(host: string | undefined, localAddress = '192.0.2.1'): IncomingMessage {
  const parts: Partial<IncomingMessage> & object = {
    headers: host === undefined ? {} : { host },
    socket: { localAddress, localPort: 9001 } as IncomingMessage['socket'],
  }
  return parts as IncomingMessage
}

const hosts: readonly [host: string | undefined, url: string][] = [
  ['dns.example', 'http://dns.example'],
  ['dns.example:9001', 'http://dns.example:9001'],
  ['198.51.100.1:80', 'http://198.51.100.1:80'],
  ['[2001:db8::1]:9001', 'http://[2001:db8::1]:9001'],
  [undefined, 'http://192.0.2.1:9001'],
  ['', 'http://192.0.2.1:9001'],
  ['dns.example/path', 'http://192.0.2.1:9001'],
  ['user@dns.example', 'http://192.0.2.1:9001'],
  ['dns.example:port', 'http://192.0.2.1:9001'],
  ['"><script>', 'http://192.0.2.1:9001'],
]

t.test('the address is that of the Host header, where it is one', async t => {
  for (const [host, url] of hosts)
    t.equal(publicUrlOf(requestTo(host), undefined), url, String(host))
})

t.test('an IPv6 socket gives a bracketed address', async t => {
  t.equal(publicUrlOf(requestTo(undefined, '::1'), undefined), 'http://[::1]:9001')
})

t.test('the configured address wins, without its last slash', async t => {
  for (const configured of ['https://dns.example/api', 'https://dns.example/api/'])
    t.equal(publicUrlOf(requestTo('other.example'), configured), 'https://dns.example/api')
})

t.test('what a proxy is said to have been asked for gets into no link', async t => {
  const request = requestTo('dns.example')
  Object.assign(request.headers, {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-port': '444',
    forwarded: 'host=evil.example;proto=https',
  })
  t.equal(publicUrlOf(request, undefined), 'http://dns.example')
})
