import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { formatName, parseName } from '../../../src/dns/name.ts'
import { formatRdata } from '../../../src/dns/rdata/index.ts'
import { substituteDname, synthesizeCname } from './dname.ts'

const owner = parseName('old.example.')
const target = parseName('New.test.')

t.test('the labels in front of the owner are kept, case and all', async t => {
  const renamed = substituteDname(parseName('a.B.OLD.example.'), { owner, target })
  t.equal(renamed && formatName(renamed), 'a.B.New.test.')
})

t.test('to the root and from the root', async t => {
  const toRoot = substituteDname(parseName('a.old.example.'), { owner, target: parseName('.') })
  t.equal(toRoot && formatName(toRoot), 'a.')
  const fromRoot = substituteDname(parseName('a.b.'), { owner: parseName('.'), target })
  t.equal(fromRoot && formatName(fromRoot), 'a.b.New.test.')
})

t.test('255 octets fit, 256 do not', async t => {
  const label = 'x'.repeat(63)
  const long = parseName(`${label}.${label}.${label}.`)
  const fits = substituteDname(parseName(`${'y'.repeat(61)}.old.example.`), { owner, target: long })
  t.equal(fits?.length, 255)
  const qname = parseName(`${'y'.repeat(62)}.old.example.`)
  t.equal(substituteDname(qname, { owner, target: long }), undefined)
})

t.test('the CNAME has the TTL of the DNAME and the new name', async t => {
  const dname = { type: types.DNAME, ttlSeconds: 77, rdatas: [] }
  const cname = synthesizeCname(parseName('a.New.test.'), dname)
  t.equal(cname.type, types.CNAME)
  t.equal(cname.ttlSeconds, 77)
  t.same(
    cname.rdatas.map(rdata => formatRdata(types.CNAME, rdata)),
    ['a.New.test.'],
  )
})
