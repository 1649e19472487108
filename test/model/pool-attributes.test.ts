import t from 'tap'
import { formatHostPort } from '../../src/host-port.ts'
import {
  checkedServersOf,
  listenAddressesOf,
  notifiedServersOf,
  poolAttributeErrors,
} from '../../src/model/pool-attributes.ts'
import { poolErrors } from '../../src/model/pool-draft.ts'

t.test('lists of servers are read with their ports, spaces or not', async t => {
  const attributes = {
    listen: '192.0.2.1:5353,[2001:db8::1]:53 , 192.0.2.2:0',
    also_notify: '192.0.2.7, ns.example.net:5300',
    check: ' [2001:db8::2] ',
    zone: 'east',
  }
  t.same(listenAddressesOf({ attributes }).map(formatHostPort), [
    '192.0.2.1:5353',
    '[2001:db8::1]:53',
    '192.0.2.2:0',
  ])
  t.same(notifiedServersOf({ attributes }).map(formatHostPort), [
    '192.0.2.7:53',
    'ns.example.net:5300',
  ])
  t.same(checkedServersOf({ attributes }), [{ host: '2001:db8::2', port: 53 }])
  t.same(poolAttributeErrors(attributes), [])
  for (const none of [{}, { listen: '' }, { listen: ' , ' }]) {
    t.same(listenAddressesOf({ attributes: none }), [])
  }
})

t.test(
  'a pool of an earlier version that listens without a port is answered on port 53',
  async t => {
    const attributes = { listen: '192.0.2.1,[2001:db8::1]' }
    const addresses = listenAddressesOf({ attributes }).map(formatHostPort)
    t.same(addresses, ['192.0.2.1:53', '[2001:db8::1]:53'])
  },
)

t.test('a server that is notified may have a key', async t => {
  const attributes = { also_notify: '192.0.2.7  key:k1.example, ns.example.net:5300' }
  t.same(poolAttributeErrors(attributes), [])
  t.same(notifiedServersOf({ attributes }), [
    { host: '192.0.2.7', port: 53, keyName: 'k1.example' },
    { host: 'ns.example.net', port: 5300 },
  ])
  for (const wrong of ['192.0.2.7 key:', '192.0.2.7 k1', 'key:k1', '192.0.2.7 key:a b'])
    t.equal(poolAttributeErrors({ also_notify: wrong }).length, 1, wrong)
})

t.test('what is no server is refused, each with its words', async t => {
  const rows: [name: string, value: string, count: number][] = [
    ['listen', 'ns.example.net:53', 1],
    ['listen', '192.0.2.1:70000', 1],
    ['listen', '2001:db8::1', 1],
    ['listen', '192.0.2.256:53', 1],
    ['listen', '192.0.2.1,[2001:db8::1]', 2],
    ['check', '192.0.2.1:0', 1],
    ['also_notify', '-:53,192.0.2.1,:', 2],
    ['check', Array.from({ length: 17 }, () => '192.0.2.1').join(), 1],
    ['other', ':::', 0],
  ]
  for (const [name, value, count] of rows) {
    const errors = poolAttributeErrors({ [name]: value })
    t.equal(errors.length, count, `${name} ${value}`)
    for (const { path } of errors) t.same(path, ['attributes', name])
  }
})

t.test('a pool’s name servers are absolute names, each once', async t => {
  const errorsFor = (...hostnames: string[]) =>
    poolErrors({
      attributes: {},
      nsRecords: hostnames.map(hostname => ({ hostname, priority: 1 })),
    })
  t.same(errorsFor('ns1.example.', 'ns2.example.'), [])
  t.same(
    errorsFor('ns1.example', 'NS2.example.', 'ns2.example.').map(({ path }) => path),
    [
      ['ns_records', 0, 'hostname'],
      ['ns_records', 2, 'hostname'],
    ],
  )
})
