import dnsPacket from 'dns-packet'
import dns2 from 'dns2'
import t from 'tap'
import { classes } from '../../../src/dns/codes.ts'
import { flags } from '../../../src/dns/header.ts'
import { encodeMessage } from '../../../src/dns/message.ts'
import { parseName } from '../../../src/dns/name.ts'
import { parseRdata, typeCode } from '../../../src/dns/rdata/index.ts'
import { comparable } from '../../helpers/rdata-arbitraries.ts'

// What we encode, as two other codecs see it. Only types each of them knows.

function encode(mnemonic: string, text: string): Buffer {
  const type = typeCode(mnemonic) as number
  const octets = encodeMessage({
    header: { id: 1, flags: flags.response },
    questions: [{ name: parseName('example.'), type, class: classes.in }],
    answers: [
      {
        owner: parseName('www.example.'),
        type,
        class: classes.in,
        ttlSeconds: 3600,
        rdata: parseRdata(type, text),
      },
    ],
    authorities: [],
    additionals: [],
  })
  return Buffer.from(octets)
}

type Row = readonly [type: string, text: string, expected: unknown]

t.test('dns-packet decodes our rdata', async t => {
  const rows: readonly Row[] = [
    ['A', '192.0.2.1', '192.0.2.1'],
    ['AAAA', '2001:db8::1', '2001:db8::1'],
    [
      'CAA',
      '128 issue "ca.example"',
      { flags: 128, tag: 'issue', value: 'ca.example', issuerCritical: true },
    ],
    ['CNAME', 'a.example.', 'a.example'],
    ['DNAME', 'a.example.', 'a.example'],
    ['DNSKEY', '257 3 13 AQID', { flags: 257, algorithm: 13, key: '010203' }],
    [
      'DS',
      '60485 5 1 2bb183af5f22588179a53b0a98631fad1a292118',
      {
        keyTag: 60485,
        algorithm: 5,
        digestType: 1,
        digest: '2bb183af5f22588179a53b0a98631fad1a292118',
      },
    ],
    ['HINFO', '"VAX 11" UNIX', { cpu: 'VAX 11', os: 'UNIX' }],
    ['MX', '10 mail.example.', { preference: 10, exchange: 'mail.example' }],
    [
      'NAPTR',
      '100 50 "s" "http+I2R" "" _http._tcp.example.',
      {
        order: 100,
        preference: 50,
        flags: 's',
        services: 'http+I2R',
        regexp: '',
        replacement: '_http._tcp.example',
      },
    ],
    ['NS', 'ns1.example.', 'ns1.example'],
    ['NSEC', 'b.example. A RRSIG', { nextDomain: 'b.example', rrtypes: ['A', 'RRSIG'] }],
    [
      'NSEC3',
      '1 1 12 aabb 2t7b4g4vsa5smi47k61mv5bv1a22bojr A',
      {
        algorithm: 1,
        flags: 1,
        iterations: 12,
        salt: 'aabb',
        nextDomain: '174eb2409fe28bcb4887a1836f957f0a8425e27b',
        rrtypes: ['A'],
      },
    ],
    ['PTR', 'host.example.', 'host.example'],
    ['RP', 'admin.example. txt.example.', { mbox: 'admin.example', txt: 'txt.example' }],
    [
      'RRSIG',
      'A 8 2 3600 20300101000000 20291201000000 60485 example. AQID',
      {
        typeCovered: 'A',
        algorithm: 8,
        labels: 2,
        originalTTL: 3600,
        expiration: Date.UTC(2030, 0, 1) / 1000,
        inception: Date.UTC(2029, 11, 1) / 1000,
        keyTag: 60485,
        signersName: 'example',
        signature: '010203',
      },
    ],
    [
      'SOA',
      'ns1.example. admin.example. 2026112101 2h 30m 2w 3600',
      {
        mname: 'ns1.example',
        rname: 'admin.example',
        serial: 2026112101,
        refresh: 7200,
        retry: 1800,
        expire: 1209600,
        minimum: 3600,
      },
    ],
    ['SRV', '0 5 5060 sip.example.', { priority: 0, weight: 5, port: 5060, target: 'sip.example' }],
    [
      'SSHFP',
      '2 1 123456789abcdef67890123456789abcdef67890',
      { algorithm: 2, hash: 1, fingerprint: '123456789ABCDEF67890123456789ABCDEF67890' },
    ],
    ['TLSA', '3 1 0 0102ff', { usage: 3, selector: 1, matchingType: 0, certificate: '0102ff' }],
    ['TXT', String.raw`"a\007\255" ""`, ['6107ff', '']],
  ]
  for (const [mnemonic, text, expected] of rows) {
    const [answer] = dnsPacket.decode(encode(mnemonic, text)).answers ?? []
    t.match(answer, { name: 'www.example', type: mnemonic, ttl: 3600, class: 'IN' })
    t.same(comparable((answer as { data: unknown }).data), expected, `${mnemonic} ${text}`)
  }
})

t.test('dns2 decodes our rdata', async t => {
  const rows: readonly Row[] = [
    ['A', '192.0.2.1', { address: '192.0.2.1' }],
    ['AAAA', '2001:db8::1', { address: '2001:db8::1' }],
    ['CAA', '0 issue "ca.example"', { flags: 0, tag: 'issue', value: 'ca.example' }],
    ['CNAME', 'a.example.', { domain: 'a.example' }],
    ['DNSKEY', '257 3 13 AQID', { flags: 257, protocol: 3, algorithm: 13, key: 'AQID' }],
    ['MX', '10 mail.example.', { priority: 10, exchange: 'mail.example' }],
    ['NS', 'ns1.example.', { ns: 'ns1.example' }],
    ['PTR', 'host.example.', { domain: 'host.example' }],
    [
      'SOA',
      'ns1.example. admin.example. 1 2 3 4 5',
      {
        primary: 'ns1.example',
        admin: 'admin.example',
        serial: 1,
        refresh: 2,
        retry: 3,
        expiration: 4,
        minimum: 5,
      },
    ],
    ['SPF', '"v=spf1 -all"', { data: ['v=spf1 -all'] }],
    ['SRV', '0 5 5060 sip.example.', { priority: 0, weight: 5, port: 5060, target: 'sip.example' }],
    ['TXT', '"a b" "c"', { data: ['a b', 'c'] }],
  ]
  for (const [mnemonic, text, expected] of rows) {
    const [answer] = dns2.Packet.parse(encode(mnemonic, text)).answers
    t.match(answer, { name: 'www.example', type: typeCode(mnemonic), ttl: 3600 })
    t.match(answer, expected, `${mnemonic} ${text}`)
  }
})
