import t from 'tap'
import {
  overlap,
  parseListenAddress,
  parseListenAddresses,
} from '../../src/config/listen-address.ts'
import { formatHostPort } from '../../src/host-port.ts'

t.test('an address is parsed and formatted back', async t => {
  const rows: [string, string, number][] = [
    ['192.0.2.1:53', '192.0.2.1', 53],
    ['0.0.0.0:0', '0.0.0.0', 0],
    ['[::]:65535', '::', 65535],
    ['[2001:db8::1]:5300', '2001:db8::1', 5300],
  ]
  for (const [text, host, port] of rows) {
    t.strictSame(parseListenAddress(text), { host, port })
    t.equal(formatHostPort({ host, port }), text)
  }
})

t.test('what is no IP address with a port is not one', async t => {
  const wrong = [
    '',
    '53',
    ':53',
    '*:53',
    'localhost:53',
    '192.0.2.1',
    '192.0.2.1:',
    '192.0.2.1:65536',
  ]
  wrong.push(
    '192.0.2.256:53',
    '::1:53',
    '[::1]',
    '[::1:53',
    '[192.0.2.1]:53',
    '[:::]:53',
    '1.2.3.4:-1',
  )
  for (const text of wrong) t.equal(parseListenAddress(text), undefined, text)
})

t.test('one wrong address spoils a list', async t => {
  t.equal(parseListenAddresses(['192.0.2.1:53', 'x']), undefined)
  t.strictSame(parseListenAddresses(['192.0.2.1:53']), [{ host: '192.0.2.1', port: 53 }])
})

t.test('two addresses overlap where both would have the same port of one address', async t => {
  const rows: [string, string, boolean][] = [
    ['192.0.2.1:53', '192.0.2.1:53', true],
    ['192.0.2.1:53', '192.0.2.1:54', false],
    ['192.0.2.1:53', '192.0.2.2:53', false],
    ['192.0.2.1:0', '192.0.2.1:0', false],
    ['0.0.0.0:53', '192.0.2.1:53', true],
    ['[::]:53', '[2001:db8::1]:53', true],
    ['[::]:53', '192.0.2.1:53', false],
    ['[::]:53', '0.0.0.0:53', false],
  ]
  for (const [one, other, expected] of rows) {
    const addresses = parseListenAddresses([one, other])
    const [first, second] = addresses ?? []
    if (first === undefined || second === undefined) throw new Error(`${one} ${other}`)
    t.equal(overlap(first, second), expected, `${one} ${other}`)
    t.equal(overlap(second, first), expected, `${other} ${one}`)
  }
})
