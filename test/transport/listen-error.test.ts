import t from 'tap'
import { ListenError } from '../../src/transport/listen-error.ts'

function systemError(code: string): Error {
  return Object.assign(new Error(`bind ${code}`), { code })
}

t.test('the message names address, transport, cause and remedy', async t => {
  const address = { host: '2001:db8::1', port: 53 }
  const rows: readonly [code: string, words: RegExp][] = [
    ['EADDRINUSE', /\[2001:db8::1\]:53 \(UDP\): another program has the port\. Stop that program/],
    ['EACCES', /not permitted.*CAP_NET_BIND_SERVICE/],
    ['EADDRNOTAVAIL', /does not have the address.*ZONEWRIGHT_DNS_LISTEN/],
    ['EAFNOSUPPORT', /address family.*ZONEWRIGHT_DNS_LISTEN/],
    ['EWEIRD', /bind EWEIRD.*ZONEWRIGHT_DNS_LISTEN/],
  ]
  for (const [code, words] of rows) {
    const error = new ListenError(address, 'udp', systemError(code))
    t.match(error.message, words, code)
    t.equal(error.code, code)
    t.ok(error.cause instanceof Error)
  }
})

t.test('the API and the metrics have settings of their own', async t => {
  const address = { host: '127.0.0.1', port: 9001 }
  const error = new ListenError(address, 'http', systemError('EADDRINUSE'))
  t.match(error.message, /127\.0\.0\.1:9001 \(HTTP\): .* ZONEWRIGHT_API_LISTEN/)
  const metrics = new ListenError(address, 'metrics', systemError('EADDRINUSE'))
  t.match(metrics.message, /127\.0\.0\.1:9001 \(METRICS\): .* ZONEWRIGHT_METRICS_LISTEN/)
})

t.test('so have DNS over TLS and HTTPS', async t => {
  const error = new ListenError({ host: '::', port: 853 }, 'tls', systemError('EACCES'))
  t.match(error.message, /\[::\]:853 \(TLS\): .* ZONEWRIGHT_DNS_TLS_LISTEN/)
  const https = new ListenError({ host: '::', port: 443 }, 'https', systemError('EADDRINUSE'))
  t.match(https.message, /\[::\]:443 \(HTTPS\): .* ZONEWRIGHT_DNS_HTTPS_LISTEN/)
})

t.test('a cause that is no system error is reported as it is', async t => {
  t.match(new ListenError({ host: '192.0.2.1', port: 5 }, 'tcp', 'odd').message, /odd/)
})
