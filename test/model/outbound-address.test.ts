import t from 'tap'
import { OutboundAddresses } from '../../src/model/outbound-address.ts'

const own = ['203.0.113.53', '2001:db8::53', '127.0.0.1']
const addresses = new OutboundAddresses({ allowed: [], ownAddresses: () => own })

const refused: readonly (readonly [kind: RegExp, ...spellings: string[]])[] = [
  [/loopback/, '127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '::1%lo'],
  [/loopback/, '::ffff:127.0.0.1', '::FFFF:7f00:1', '0:0:0:0:0:ffff:7f00:0001', '::127.0.0.1'],
  [/loopback/, '64:ff9b::127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', '::ffff:0:127.0.0.1'],
  [/link-local/, '169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'febf::1', '::ffff:169.254.0.1'],
  [/unspecified/, '0.0.0.0', '::', '0.1.2.3', '::ffff:0.0.0.0'],
  [/multicast/, '224.0.0.1', '239.255.255.255', 'ff02::1', '64:ff9b::224.0.0.1'],
  [/private-use/, '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1'],
  [/private-use/, 'fd00::1', 'fc00::1', 'fec0::1', '64:ff9b:1::1', '2002:a00:1::1'],
  [/reserved/, '255.255.255.255', '240.0.0.1', '198.18.0.1', '192.0.0.1', '100::1', '2001::1'],
  [/of this server/, '203.0.113.53', '2001:db8::53', '2001:DB8:0::53', '::ffff:203.0.113.53'],
]

for (const [kind, ...spellings] of refused) {
  t.test(`a project cannot have ${kind.source} addresses asked`, async t => {
    for (const address of spellings)
      t.match(addresses.problemOf('project', address, address), kind, address)
  })
}

t.test('a project may name what is out in the open', async t => {
  const open = [
    '192.0.2.1',
    '203.0.113.54',
    '2001:db8::1',
    '2001:db9::53',
    '172.32.0.1',
    '11.0.0.1',
  ]
  for (const address of [...open, '64:ff9b::192.0.2.1', '::ffff:192.0.2.1'])
    t.equal(addresses.problemOf('project', address, address), undefined, address)
})

t.test('an operator may name any address, but no name that leads into this machine', async t => {
  for (const address of ['127.0.0.1', '::1', '10.0.0.1', '203.0.113.53', '169.254.1.1'])
    t.equal(addresses.problemOf('operator', address, address), undefined, address)
  t.equal(addresses.problemOf('operator', '127.0.0.1', 'localhost'), undefined)
  const name = 'ns.example.net'
  for (const address of ['127.0.0.1', '::ffff:127.0.0.1', 'fe80::1', '0.0.0.0', 'ff02::1'])
    t.ok(addresses.problemOf('operator', address, name), address)
  for (const address of ['10.0.0.1', 'fd00::1', '203.0.113.53', '192.0.2.1'])
    t.equal(addresses.problemOf('operator', address, name), undefined, address)
})

t.test('what is allowed is allowed in all its spellings, and nothing beside it', async t => {
  const allowing = new OutboundAddresses({
    allowed: [
      { address: '10.1.0.0', bits: 16 },
      { address: '::1', bits: 128 },
    ],
    ownAddresses: () => own,
  })
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '64:ff9b::10.1.2.3', '::1'])
    t.equal(allowing.problemOf('project', address, address), undefined, address)
  t.equal(allowing.problemOf('operator', '::1', 'ns.example.net'), undefined)
  for (const address of ['10.2.0.1', '127.0.0.1', '::ffff:127.0.0.1'])
    t.ok(allowing.problemOf('project', address, address), address)
})

t.test('a host is judged before it is looked up, as far as that can be said', async t => {
  t.match(addresses.problemOfHost('project', '127.0.0.1'), 'a loopback address')
  for (const host of ['localhost', 'LOCALHOST', 'a.localhost', 'localhost.'])
    t.ok(addresses.problemOfHost('project', host), host)
  for (const host of ['ns.example.net', 'notlocalhost', '192.0.2.1'])
    t.equal(addresses.problemOfHost('project', host), undefined, host)
  for (const host of ['127.0.0.1', 'localhost', 'ns.example.net'])
    t.equal(addresses.problemOfHost('operator', host), undefined, host)
})

t.test('what is no address is not connected to', async t => {
  t.equal(addresses.problemOf('project', 'nonsense', 'ns.example.net'), 'not an address')
})
