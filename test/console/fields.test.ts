import fc from 'fast-check'
import t from 'tap'
import {
  completeName,
  fieldsOf,
  joinValue,
  offeredTypes,
  relativeName,
  splitValue,
} from '../../src/console/records/fields.ts'

const zone = 'example.com.'

t.test('a value is cut into the fields of its type', async t => {
  t.same(splitValue('MX', '10 mail.example.com.'), ['10', 'mail.example.com.'])
  t.same(splitValue('SRV', '0 5 443 host.example.com.'), ['0', '5', '443', 'host.example.com.'])
  t.same(splitValue('CAA', '0 issue "a b; c"'), ['0', 'issue', '"a b; c"'])
  t.same(splitValue('HTTPS', '1 . alpn="h2,h3" port=8443'), ['1', '.', 'alpn="h2,h3" port=8443'])
  t.same(splitValue('NAPTR', '1 2 "S" "SIP +D2U" "!a b!" .'), [
    '1',
    '2',
    '"S"',
    '"SIP +D2U"',
    '"!a b!"',
    '.',
  ])
  t.same(splitValue('TXT', '"two" "strings"'), ['"two" "strings"'])
  t.same(splitValue('LOC', '1 2 N'), ['1 2 N'], 'a type without a form of its own has one field')
  t.same(splitValue('MX', ''), ['', ''])
})

t.test('fields become the value again', async t => {
  const words = fc.stringMatching(/^[A-Za-z0-9]{1,8}$/)
  const typed = fc
    .constantFrom(...offeredTypes)
    .chain(type =>
      fc.tuple(
        fc.constant(type),
        fc.tuple(...fieldsOf(type).map(({ isName }) => (isName ? fc.constant('a.b.') : words))),
      ),
    )
  fc.assert(
    fc.property(typed, ([type, fields]) => {
      t.same(splitValue(type, joinValue(type, fields, zone)), fields)
    }),
    { numRuns: 100 },
  )
})

t.test('names are completed as a person means them', async t => {
  t.equal(completeName('@', zone), zone)
  t.equal(completeName('mail', zone), 'mail.example.com.')
  t.equal(completeName('mail.example.net', zone), 'mail.example.net.')
  t.equal(completeName('mail.example.net.', zone), 'mail.example.net.')
  t.equal(completeName('', zone), '')
  t.equal(completeName('bücher', zone), 'xn--bcher-kva.example.com.')
  t.equal(completeName('*.BÜCHER.example', zone), '*.xn--bcher-kva.example.')
  for (const none of ['_dmarc.\u0378.', 'ä/b.example.', 'ä b.'])
    t.equal(completeName(none, zone), none, 'no name at all stays')
  t.equal(joinValue('MX', [' 10 ', 'mail'], zone), '10 mail.example.com.')
  t.equal(joinValue('TXT', ['mail'], zone), 'mail', 'a text is no name')
})

t.test('names are shown relative to their zone', async t => {
  t.equal(relativeName(zone, zone), '@')
  t.equal(relativeName('a.b.example.com.', zone), 'a.b')
  t.equal(relativeName('notexample.com.', zone), 'notexample.com.')
})
