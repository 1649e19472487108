import t from 'tap'
import {
  absoluteRecordsetName,
  recordsetNameError,
  requireNameInZone,
} from '../../src/model/recordset-name.ts'
import { refusal } from '../helpers/refusal.ts'

t.test('which names a recordset may have depends on its type', async t => {
  const rows: [type: string, name: string, problem: RegExp | undefined][] = [
    ['A', 'www.example.com.', undefined],
    ['A', '*.example.com.', undefined],
    ['CNAME', '*.a.example.com.', undefined],
    ['A', '_dmarc.example.com.', undefined],
    ['A', 'www', /must end with a dot/],
    ['A', 'a.*.example.com.', /holds '\*'/],
    ['A', '*a.example.com.', /holds '\*'/],
    ['NS', 'sub.example.com.', undefined],
    ['NS', '*.example.com.', /cannot be a wildcard/],
    ['SRV', '_sip._tcp.example.com.', undefined],
    ['SRV', 'sip._tcp.example.com.', /begins with '_service._protocol.'/],
    ['SRV', '_sip.tcp.example.com.', /begins with '_service._protocol.'/],
    ['SRV', '_sip.example.com.', /begins with '_service._protocol.'/],
    ['TLSA', '_443._tcp.example.com.', undefined],
    ['TLSA', '_https._tcp.example.com.', /begins with '_port._protocol.'/],
    ['SRV', '*._tcp.example.com.', undefined],
    ['SRV', '*.example.com.', undefined],
    ['TLSA', '*._tcp.example.com.', undefined],
    ['TLSA', '*._udp.mail.example.com.', undefined],
    ['TLSA', '_65535._tcp.example.com.', undefined],
    ['TLSA', '_65536._tcp.example.com.', /begins with '_port._protocol.'/],
    ['TLSA', '_70000._tcp.example.com.', /begins with '_port._protocol.'/],
    ['NS', '0/25.2.0.192.in-addr.arpa.', undefined],
    ['PTR', '1.0/25.2.0.192.IN-ADDR.ARPA.', undefined],
    ['A', '0/25.example.com.', /holds '\/'/],
    ['A', String.raw`a\046b.example.com.`, /holds '\\'/],
    ['TLSA', 'example.com.', /begins with '_port._protocol.'/],
  ]
  for (const [type, name, problem] of rows) {
    const error = recordsetNameError(name, type)
    if (problem === undefined) t.equal(error, undefined, `${type} ${name}`)
    else
      t.match(error, { path: ['name'], message: problem, validator: 'format' }, `${type} ${name}`)
  }
})

t.test('a wildcard may be as long as any name', async t => {
  const label63 = 'a'.repeat(63)
  const longest = `*.${label63}.${label63}.${label63}.${'a'.repeat(59)}.`
  t.equal(recordsetNameError(longest, 'A'), undefined)
  const tooLong = `*.${label63}.${label63}.${label63}.${'a'.repeat(60)}.`
  t.match(recordsetNameError(tooLong, 'A')?.message, /255 characters/)
})

t.test('a name is in the zone when it is its apex or below it, in any case', async t => {
  for (const name of ['example.com.', 'WWW.Example.COM.', 'a.b.example.com.']) {
    t.doesNotThrow(() => requireNameInZone(name, 'example.com.'), name)
  }
  for (const name of ['example.org.', 'com.', 'notexample.com.', 'example.com.org.']) {
    t.throws(() => requireNameInZone(name, 'example.com.'), refusal('invalid_recordset_location'))
  }
})

t.test('a relative name is completed, and an absolute one stays', async t => {
  const rows: [name: string, absolute: string][] = [
    ['@', 'Example.com.'],
    ['www', 'www.Example.com.'],
    ['*.a', '*.a.Example.com.'],
    ['_sip._tcp', '_sip._tcp.Example.com.'],
    ['www.example.net.', 'www.example.net.'],
    ['dot\\.', 'dot\\..Example.com.'],
    ['backslash\\\\.', 'backslash\\\\.'],
    ['notexample.com', 'notexample.com.Example.com.'],
    ['', ''],
  ]
  for (const [name, absolute] of rows) {
    t.equal(absoluteRecordsetName(name, 'Example.com.'), absolute, name)
  }
})

t.test('a name that only lacks its last dot is not taken for a relative one', async t => {
  for (const name of ['example.com', 'www.EXAMPLE.com']) {
    t.equal(absoluteRecordsetName(name, 'Example.com.'), name)
    t.match(recordsetNameError(name, 'A')?.message, /must end with a dot/)
  }
})

t.test('names that are escaped are taken where they are wanted', async t => {
  const names = ['0/25', '-a', 'a.*', '*a', 'a+b', String.raw`a\046b`, String.raw`\000\255`, 'a@b!']
  for (const label of names) {
    const name = `${label}.example.com.`
    t.equal(recordsetNameError(name, 'A', 'any'), undefined, name)
    t.ok(recordsetNameError(name, 'A', 'host'), name)
  }
  for (const name of [
    'a b.example.com.',
    'a..example.com.',
    'é.example.com.',
    `${'a'.repeat(64)}.a.`,
  ]) {
    t.ok(recordsetNameError(name, 'A', 'any'), name)
  }
})
