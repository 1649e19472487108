import t from 'tap'
import { checkRecords } from '../../src/model/record-values.ts'

t.test('good values are kept as given', async t => {
  const rows: [type: string, value: string][] = [
    ['A', '192.0.2.1'],
    ['AAAA', '2001:db8::1'],
    ['AAAA', '2001:DB8:0:0:0:0:0:1'],
    ['CNAME', 'www.example.com.'],
    ['NS', 'ns1.example.com.'],
    ['PTR', 'host.example.com.'],
    ['MX', '10 mail.example.com.'],
    ['MX', '0 .'],
    ['SRV', '0 5 5060 sip.example.com.'],
    ['SSHFP', '2 1 123456789abcdef67890123456789abcdef67890'],
    ['TXT', 'unquoted'],
    ['TXT', 'v=DKIM1;k=rsa;p=abc'],
    ['TXT', 'several words'],
    ['TXT', '"several words"'],
    ['TXT', '"an \\"inner\\" quote"'],
    ['TXT', `"${'a'.repeat(255)}" "${'b'.repeat(255)}"`],
    ['TXT', '"ünïcode"'],
    ['TXT', '""'],
    ['SPF', '"v=spf1 mx -all"'],
    ['SPF', 'v=spf1 mx -all'],
    ['CAA', '0 issue "ca.example.net"'],
    ['CAA', '0 issue ca.example.net'],
    ['NAPTR', '100 50 "s" "http" "" _http._tcp.example.com.'],
    ['CERT', '1 2 3 AQID'],
    ['TLSA', `3 1 1 ${'0a'.repeat(32)}`],
    ['HTTPS', '1 . alpn=h2,h3 port=8443'],
    ['SVCB', '0 svc.example.net.'],
    ['DS', `12345 13 2 ${'0a'.repeat(32)}`],
    ['TYPE65280', '\\# 3 010203'],
  ]
  for (const [type, value] of rows) {
    t.same(checkRecords(type, [value]), { records: [value], errors: [] }, `${type} ${value}`)
  }
})

t.test(
  'each bad value is an error at its place, with the value, the type and the cause',
  async t => {
    const { errors } = checkRecords('A', ['192.0.2.1', 'x', '192.0.2.2', '192.0.2.256'])
    t.match(errors, [
      {
        path: ['records', 1],
        message: /^'x' is not a 'A' Record: .*IPv4/,
        validator: 'format',
        validator_value: ['A'],
      },
      { path: ['records', 3] },
    ])
  },
)

t.test('what could not be answered or transferred is refused', async t => {
  const rows: [type: string, value: string][] = [
    ['A', ''],
    ['A', '192.0.2'],
    ['A', '192.0.2.01'],
    ['A', '2001:db8::1'],
    ['A', '192.0.2.1 192.0.2.2'],
    ['A', ' 192.0.2.1'],
    ['AAAA', '192.0.2.1'],
    ['AAAA', '2001:db8:::1'],
    ['CNAME', 'www.example.com'],
    ['CNAME', '@'],
    ['CNAME', 'a..example.com.'],
    ['NS', '10 ns1.example.com.'],
    ['MX', 'mail.example.com.'],
    ['MX', '10 mail'],
    ['MX', '65536 mail.example.com.'],
    ['MX', '-1 mail.example.com.'],
    ['SRV', '0 5 sip.example.com.'],
    ['SSHFP', '1 1 xyz'],
    ['SSHFP', `5 1 ${'ab'.repeat(20)}`],
    ['SSHFP', `1 3 ${'ab'.repeat(20)}`],
    ['MX', '0000010 mail.example.com.'],
    ['TXT', 'a word "and a text"'],
    ['TXT', '"unbalanced'],
    ['TXT', 'ends in a backslash\\'],
    ['TXT', `"${'a'.repeat(256)}"`],
    ['TXT', '"a "quote" inside"'],
    ['TLSA', '3 1 1 0a0'],
    ['TYPE65280', '01 02 03'],
    ['TYPE65280', '\\# 4 010203'],
  ]
  for (const [type, value] of rows) {
    t.match(checkRecords(type, [value]).errors, [{ path: ['records', 0] }], `${type} ${value}`)
  }
})

t.test('a line end is refused anywhere in any type (one value must stay one record)', async t => {
  const rows: [type: string, value: string][] = [
    ['A', '192.0.2.1'],
    ['AAAA', '2001:db8::1'],
    ['CNAME', 'www.example.com.'],
    ['MX', '10 mail.example.com.'],
    ['TXT', '"text"'],
    ['TXT', 'text'],
    ['NAPTR', '100 50 "s" "http" "" _http._tcp.example.com.'],
    ['CERT', '1 2 3 AQID'],
    ['CAA', '0 issue "ca.example.net"'],
    ['TYPE65280', '\\# 3 010203'],
  ]
  for (const [type, value] of rows) {
    for (const end of ['\n', '\r', '\r\n', '\0']) {
      const middle = value.length >> 1
      for (const bad of [
        value + end,
        end + value,
        value.slice(0, middle) + end + value.slice(middle),
      ])
        t.not(checkRecords(type, [bad]).errors.length, 0, JSON.stringify(`${type} ${bad}`))
    }
  }
})

t.test('the same record is kept once, the first as given', async t => {
  const rows: [type: string, given: string[], kept: string[]][] = [
    ['A', ['192.0.2.2', '192.0.2.1', '192.0.2.2'], ['192.0.2.2', '192.0.2.1']],
    ['AAAA', ['2001:db8::1', '2001:DB8:0::1'], ['2001:db8::1']],
    ['MX', ['10 Mail.example.com.', '10  mail.EXAMPLE.com.'], ['10 Mail.example.com.']],
    ['MX', ['65 a.example.', '97 a.example.'], ['65 a.example.', '97 a.example.']],
    ['TXT', ['text', '"text"', '"Text"'], ['text', '"Text"']],
  ]
  for (const [type, given, kept] of rows) t.same(checkRecords(type, given).records, kept, type)
})

t.test('records that do not fit into one message together are refused', async t => {
  const text = (i: number) => `"${String(i).padEnd(255, 'x')}"`
  const fitting = Array.from({ length: 240 }, (_, i) => text(i))
  t.same(checkRecords('TXT', fitting).errors, [])
  const tooMany = Array.from({ length: 241 }, (_, i) => text(i))
  t.match(checkRecords('TXT', tooMany).errors, [{ path: ['records'], validator: 'maxOctets' }])
})
